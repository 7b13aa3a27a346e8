// Takes compiled files as the API server of Kubeflow Pipelines does: reads both documents, compiles
// them for Argo, and has Argo validate what came out. Prints one line of JSON for each file.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/kubeflow/pipelines/api/v2alpha1/go/pipelinespec"
	"github.com/kubeflow/pipelines/backend/src/apiserver/model"
	"github.com/kubeflow/pipelines/backend/src/apiserver/template"
	"github.com/kubeflow/pipelines/kubernetes_platform/go/kubernetesplatform"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"
)

type verdict struct {
	File     string          `json:"file"`
	Error    string          `json:"error,omitempty"`
	Workflow json.RawMessage `json:"workflow,omitempty"`
}

func main() {
	for _, file := range os.Args[1:] {
		workflow, err := compile(file)
		result := verdict{File: file, Workflow: workflow}
		if err != nil {
			result = verdict{File: file, Error: err.Error()}
		}
		line, _ := json.Marshal(result)
		fmt.Println(string(line))
	}
}

func compile(file string) (json.RawMessage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pipeline, err := template.New(text)
	if err != nil {
		return nil, err
	}
	if !pipeline.IsV2() {
		return nil, fmt.Errorf("not a pipeline of version 2")
	}
	if err := checkExecutors(pipeline.Bytes()); err != nil {
		return nil, err
	}
	run := &model.Run{UUID: "run", K8SName: "run", DisplayName: "run", Namespace: "kubeflow"}
	workflow, err := pipeline.RunWorkflow(run, template.RunWorkflowOptions{RunId: "run"})
	if err != nil {
		return nil, err
	}
	if err := workflow.Validate(false, false); err != nil {
		return nil, fmt.Errorf("Argo: %w", err)
	}
	return json.RawMessage(workflow.ToStringForStore()), nil
}

// The driver reads these when a task starts, and an unknown field fails the task then.
func checkExecutors(text []byte) error {
	first, second, found := strings.Cut(string(text), "\n---\n")
	if !found {
		return fmt.Errorf("there is no platform document, or it was not understood")
	}
	spec, platforms := &pipelinespec.PipelineSpec{}, &pipelinespec.PlatformSpec{}
	for document, parsed := range map[string]proto.Message{first: spec, second: platforms} {
		content, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			return err
		}
		if err := protojson.Unmarshal(content, parsed); err != nil {
			return err
		}
	}
	if err := reread(spec.GetDeploymentSpec(), &pipelinespec.PipelineDeploymentConfig{}); err != nil {
		return err
	}
	for label, executor := range platforms.Platforms["kubernetes"].GetDeploymentSpec().GetExecutors() {
		if err := reread(executor, &kubernetesplatform.KubernetesExecutorConfig{}); err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
	}
	return nil
}

func reread(loose *structpb.Struct, strict proto.Message) error {
	content, err := protojson.Marshal(loose)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(content, strict)
}
