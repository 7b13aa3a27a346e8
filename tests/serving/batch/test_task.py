from serving.batch.task import Task


def test_a_task_survives_the_way_to_another_process() -> None:
    task = Task(("a*.csv",), "/out", "/model", "3", '{"path": ["-"]}', columns=("x", "y"))
    assert Task.from_json(task.to_json()) == task
    assert task.data_config.csv.delimiter == ","


def test_the_limit_of_bad_rows_does_not_make_predictions_anew() -> None:
    fields = (("a.csv",), "/out", "/model", "3", '{"path": ["-"]}')
    one = Task(*fields, max_bad_rows="5").describe_result()
    assert one == Task(*fields, overwrite=True).describe_result()
    assert one != Task(*fields, key="id").describe_result()
    assert one != Task(*fields, format="csv").describe_result()
