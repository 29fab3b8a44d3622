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

package judge

import "github.com/kgrace/kgrace/internal/history"

// hookCases are the cases of R7.
var hookCases = []ruleCase{
	{"cut at the new deadline", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 5, "ExecSync", "main", nil, "Canceled: x"),
		line(.2, "main", "HOOK-START"), del(3, 5), stop(5.1, "main", 2, 2), killed(7.2, "main"), over(7.2)}, held_, ""},
	{"goes on to the old deadline", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 22, "ExecSync", "main", nil, ""),
		line(.2, "main", "HOOK-START"), del(3, 5), stop(20.1, "main", 2, 2), killed(22.1, "main"), over(22.1)},
		broken_, "went on until 22.10 s"},
	{"restarted", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 3, "ExecSync", "main", nil, "Canceled: x"),
		line(.2, "main", "HOOK-START"), del(3, 5), called(3.1, 2, "ExecSync", "main", nil, ""), line(3.2, "main", "HOOK-START"),
		stop(5.1, "main", 2, 2), killed(7.2, "main"), over(7.2)}, broken_, "started 2 times"},
	{"restarted where only the runtime saw it", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 3, "ExecSync", "main", nil, ""),
		line(.2, "main", "HOOK-START"), del(3, 5), called(3.1, 2, "ExecSync", "main", nil, ""),
		stop(5.1, "main", 2, 2), killed(7.2, "main"), over(7.2)}, broken_, "started 2 times"},
	{"cut at once instead of at the deadline", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 3, "ExecSync", "main", nil, "Canceled: x"),
		line(.2, "main", "HOOK-START"), del(3, 5), stop(3.2, "main", 2, 2), killed(5.2, "main"), over(5.2)},
		broken_, "over at 3.10 s, before the deadline"},
	{"left behind beside the stop", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 6, "ExecSync", "main", nil, ""),
		line(.2, "main", "HOOK-START"), del(3, 5), stop(3.2, "main", 2, 2), killed(6, "main"), over(6)},
		broken_, "beside its hook"},
	{"count 1", "hook-done-not-repeated", []timeline{del(0, 20), called(.1, 1.1, "ExecSync", "main", nil, ""), line(.2, "main", "HOOK-START"),
		line(1.2, "main", "HOOK-END"), stop(1.3, "main", 19, 9), del(4, 10), stop(4.1, "main", 6, 6), killed(10.1, "main"), over(10.1)}, held_, ""},
	{"count 2", "hook-done-not-repeated", []timeline{del(0, 20), line(.2, "main", "HOOK-START"), line(1.2, "main", "HOOK-END"),
		stop(1.3, "main", 19, 9), del(4, 10), line(4.2, "main", "HOOK-START"), line(5.2, "main", "HOOK-END"),
		stop(5.3, "main", 5, 5), killed(10.1, "main"), over(10.1)}, broken_, "started 2 times"},
	{"ends by itself", "hook-running-not-restarted", []timeline{del(0, 24), line(.2, "main", "HOOK-START"), del(3, 16),
		line(8.2, "main", "HOOK-END"), stop(8.3, "main", 8, 8), killed(16.3, "main"), over(16.3)}, held_, "ran once"},
	{"cut before its time", "hook-running-not-restarted", []timeline{del(0, 24), line(.2, "main", "HOOK-START"), del(3, 16),
		stop(3.3, "main", 13, 13), killed(16.3, "main"), over(16.3)}, broken_, "never reported its end"},
	{"stopped beside a hook that ends", "hook-running-not-restarted", []timeline{del(0, 24), line(.2, "main", "HOOK-START"), del(3, 16),
		stop(3.3, "main", 13, 13), line(8.2, "main", "HOOK-END"), killed(16.3, "main"), over(16.3)}, broken_, "before its hook ended"},
	{"a sleep cut at the deadline", "hook-sleep-shorten", []timeline{del(0, 20), del(3, 5), stop(5.1, "main", 2, 2), killed(7.1, "main"), over(7.1)}, held_, ""},
	{"a sleep that goes on", "hook-sleep-shorten", []timeline{del(0, 20), del(3, 5), stop(17.1, "main", 3, 3), killed(20, "main"), over(20)}, broken_, "17.10 s"},
	{"a request given up", "hook-http-shorten", []timeline{del(0, 20), line(.1, "main", "HTTP-START"), del(3, 2), line(3.1, "main", "HTTP-GONE"),
		stop(3.1, "main", 2, 2), killed(5.1, "main"), over(5.1)}, held_, ""},
	{"a request never given up", "hook-http-shorten", []timeline{del(0, 20), line(.1, "main", "HTTP-START"), del(3, 2),
		stop(20.1, "main", 2, 2), killed(22.1, "main"), over(22.1)}, broken_, "never cut"},
	{"a request that nobody shortened ends with its server", "hook-http-shorten", []timeline{del(0, 5), line(.1, "main", "HTTP-START"), del(2, 30),
		stop(5.1, "main", 2, 2), killed(7.1, "main"), over(7.1)}, held_, "until its end or the deadline"},
	{"a request given up before the deadline", "hook-http-shorten", []timeline{del(0, 5), line(.1, "main", "HTTP-START"), del(2, 30),
		line(3, "main", "HTTP-GONE"), stop(3.1, "main", 2, 2), killed(5.1, "main"), over(5.1)}, broken_, "over at 3.00 s, before the deadline"},
	{"a request that holds back the stop", "hook-http-shorten", []timeline{del(0, 5), line(.1, "main", "HTTP-START"), del(2, 30),
		stop(20.1, "main", 2, 2), killed(22.1, "main"), over(22.1)}, broken_, "asked to stop only at 20.10 s"},
	{"never started", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), stop(5.1, "main", 2, 2), killed(7, "main"), over(7)}, broken_, "its hook never started"},
	{"never started, nor asked to stop", "hook-exec-shorten", []timeline{del(0, 20), del(3, 5), killed(7, "main"), over(7)}, none, "never started"},
	{"run again by the retry of a kill that failed, as it had failed", "hook-failed-retried", []timeline{del(0, 60),
		failedExec(.1, .1), called(.2, .1, "StopContainer", "main", history.Seconds(60), "Unknown"), ran(12, 1), stop(13.1, "main", 47, 1),
		ended(14.1, "main", 0), over(14.2)}, held_, ""},
	{"run again though it had ended well", "hook-failed-retried", []timeline{del(0, 60), ran(.1, 1),
		called(1.2, .1, "StopContainer", "main", history.Seconds(59), "Unknown"), ran(12, 1), stop(13.1, "main", 47, 1),
		ended(14.1, "main", 0), over(14.2)}, broken_, "started 2 times"},
	{"run again though no kill had failed", "hook-failed-retried", []timeline{del(0, 60), failedExec(.1, .1), ran(2, 1), stop(3.1, "main", 57, 1),
		ended(4.1, "main", 0), over(4.2)}, broken_, "started 2 times"},
	{"not run again by the retry", "hook-failed-retried", []timeline{del(0, 60), failedExec(.1, .1),
		called(.2, .1, "StopContainer", "main", history.Seconds(60), "Unknown"), stop(12, "main", 48, 1),
		ended(13.1, "main", 0), over(13.2)}, broken_, "did not run the hook again"},
	{"failed after the deadline", "hook-that-fails", []timeline{del(0, 3), failedExec(.1, 4), stop(3.1, "main", 2, 1.5), ended(4.6, "main", 0),
		over(4.7)}, held_, ""},
	{"failed, and retried when no time was left", "hook-failed-retried", []timeline{del(0, 60), failedExec(.1, .1),
		called(.2, 59, "StopContainer", "main", history.Seconds(60), "Unknown"), stop(60.2, "main", 2, 2), killed(62.2, "main"), over(62.2)}, held_, ""},
	{"run once, among probes", "hook-that-fails", []timeline{del(0, 30), probed(.05), failedExec(.1, 1), probed(.5),
		stop(1.2, "main", 29, 1), ended(2.2, "main", 0), over(2.2)}, held_, ""},
	{"failed, and the container was asked to stop before", "hook-that-fails", []timeline{del(0, 30), stop(.5, "main", 30, 2), failedExec(.1, 1),
		stop(1.2, "main", 29, 1), ended(2.3, "main", 0), over(2.4)}, broken_, "before its hook failed"},
	{"ended in its hook", "hook-ends-main", []timeline{del(0, 60), called(.1, 3, "ExecSync", "main", nil, "Unknown"), line(.2, "main", "HOOK-START"),
		ended(3.05, "main", 0), stop(3.2, "main", 57, .1), over(3.3), refusedGone(8, 10)}, held_, ""},
	{"ends by itself shortly before the deadline", "hook-running-not-restarted", []timeline{del(0, 24), called(.1, 8.1, "ExecSync", "main", nil, ""),
		line(.2, "main", "HOOK-START"), del(3, 9), line(8.2, "main", "HOOK-END"), stop(8.3, "main", 2, 2), killed(10.3, "main"), over(10.3)}, held_, "ran once"},
	{"ends by itself after the deadline, as nobody hurries", "hook-running-not-restarted", []timeline{del(0, 7), called(.1, 8.1, "ExecSync", "main", nil, ""),
		line(.2, "main", "HOOK-START"), del(1, 30), stop(7.1, "main", 2, 2), line(8.2, "main", "HOOK-END"), killed(9.1, "main"), over(9.1)}, held_, ""},
	{"cut shortly before the deadline", "hook-running-not-restarted", []timeline{del(0, 24), called(.1, 8.1, "ExecSync", "main", nil, "Canceled: x"),
		line(.2, "main", "HOOK-START"), del(3, 9), stop(8.3, "main", 2, 2), killed(10.3, "main"), over(10.3)}, broken_, "before the deadline"},
	{"reports its start after the stop", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 5, "ExecSync", "main", nil, "Canceled: x"),
		del(3, 5), stop(5.1, "main", 2, 2), line(5.2, "main", "HOOK-START"), killed(7.2, "main"), over(7.2)}, held_, ""},
	{"reports its start, and no stop follows", "hook-exec-shorten", []timeline{del(0, 20), called(.1, 5, "ExecSync", "main", nil, "Canceled: x"),
		del(3, 5), line(5.2, "main", "HOOK-START"), killed(7.2, "main"), over(7.2)}, broken_, "never asked to stop"},
	{"a sleep that ends shortly before the deadline", "hook-sleep-shorten", []timeline{del(0, 20), del(3, 18), stop(17.1, "main", 2, 2), killed(19.1, "main"), over(19.1)}, held_, ""},
	{"a sleep cut shortly before its end", "hook-sleep-shorten", []timeline{del(0, 20), del(3, 18), stop(16.8, "main", 2, 2), killed(18.8, "main"), over(18.8)},
		broken_, "before the deadline"},
}
