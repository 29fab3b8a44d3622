/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

// Package cifiles checks the files under ci/: GitHub workflows, Prow jobs, the Indexed Job. A file for a service that this
// project cannot run must at least be readable by the service, and must only call what exists.
//
// The files are read strictly into types (Kubernetes' own for pods and jobs), and checked against the Makefile's targets
// and the command line of kgrace. The services themselves are not involved. The types of workflows and of Prow contain only
// the fields that the files use, so a new field must be looked up and added here.
package cifiles
