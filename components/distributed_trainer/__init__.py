"""The component DistributedTrainer: trains one model in several processes or Kubernetes pods.

Only the DAG imports it.
"""
