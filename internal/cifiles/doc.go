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

// Package cifiles reads the files under ci/ and says what is wrong with them: GitHub workflows, Prow jobs, the Indexed Job. A
// file for a service that this project cannot run must at least be one that the service can read, and must call only what
// there is.
//
// Real: the files, read strictly into types (Kubernetes' own for pods and jobs), the Makefile's targets, the command line of
// kgrace. Not real: the services. The types of workflows and of Prow hold the fields that the files use and no others, so a
// new field has to be written down here, once it has been looked up.
package cifiles
