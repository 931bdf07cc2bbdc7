import { ExitCode, unusable } from "./command/Context.ts"
import {
  bundleOptions,
  command,
  type Command,
  commentOptions,
  dryRunOption,
  failedOptions,
  importOptions,
  quarantineAddOptions,
  quarantineListOptions,
  quarantineRemoveOptions,
  runOptions,
  runsOptions,
  settingOptions,
  shardOptions,
  testsOptions
} from "./command/options.ts"

const about = `PATH is a bundle, or a folder as a bundler leaves it:
  npx react-native bundle --platform ios --dev false --entry-file index.js \\
    --bundle-output out/main.jsbundle --assets-dest out
  npx expo export --platform ios --no-bytecode --output-dir out
  npx expo export --platform web --output-dir out     (with "experiments": { "baseUrl": "." } in app.json)

It says what a replay will make of the bundle before it sends it: Hermes bytecode can't replay, native modules
that the replay doesn't know will do nothing. Prints the URL on stdout, and everything else on stderr; anyone who
signs in with a key of the account can open it. What a finished upload of the account has already is not sent
again. If it was killed, run it again.

Of a folder all files go along but those whose name begins with a dot; of an index.html only its script does.`

const options = { ...bundleOptions, ...dryRunOption, ...settingOptions }

const uploadBuild = command({
  name: "upload build",
  summary: "Uploads an app as the build of this commit",
  takes: "PATH",
  about: `${about}

A build belongs to a repository, branch, platform (--platform, always) and commit, and with --app to an app. Its
URL stays the same when it is uploaded again. The key needs the scope builds.`,
  options,
  run: async (input, context) => (await import("./upload/upload.ts")).uploadBuild(input, context)
})

const uploadPreview = command({
  name: "upload preview",
  summary: "Uploads an app as a preview, which never changes",
  takes: "PATH",
  about: `${about}

Each upload is a preview of its own, at a URL of its own. The key needs the scope preview_upload.`,
  options,
  run: async (input, context) => (await import("./upload/upload.ts")).uploadPreview(input, context)
})

/** `import detox`: the tests that `detox test` ran. */
const importDetox = command({
  name: "import detox",
  summary: "Registers the tests that Detox ran, with steps and recordings",
  takes: "PATH…",
  about: `PATH is what Detox and Jest wrote: the folder of artifacts with detox.trace.json, which lists every
attempt and its steps; the results of \`detox test … -- --json --outputFile=results.json\`, or of
jest-stare; a report of jest-junit; or folders that hold any of them. Give as many as there are.
Detox writes a trace with \`--record-logs all\`, and screenshots with \`--take-screenshots all\`.
A test of which nothing tells how it ended is registered as failed: interrupted.

What a test types is hidden in all that is sent. Running it again registers nothing twice.
The key needs the scopes preview_upload and test_runs.`,
  options: {
    artifacts: {
      type: "string",
      multiple: true,
      value: "DIR",
      help: "a folder of artifacts that no PATH holds; may be given again"
    },
    ...importOptions
  },
  run: async ({ positionals, values }, context) => {
    const artifacts = values.artifacts ?? []
    if (positionals.length + artifacts.length === 0) {
      throw unusable("import detox needs the files and folders that Detox and Jest wrote.")
    }
    const { runImport } = await import("./import/runImport.ts")
    const { importDetox } = await import("./import/detox/importDetox.ts")
    return runImport(
      {
        name: "Detox",
        paths: positionals,
        writes:
          "It writes them to ./artifacts, or to the folder of --artifacts-location (detox.trace.json with --record-logs all);\n" +
          "and Jest, with `detox test … -- --json --outputFile=results.json`, to results.json.",
        read: (mask, log) => importDetox(positionals, artifacts, context.cwd, mask, log)
      },
      values,
      context
    )
  }
})

const kinds = ["maestro", "detox"] as const

/** `import junit`: the tests of any JUnit report. */
const importJUnit = command({
  name: "import junit",
  summary: "Registers the tests of any JUnit report: Playwright, WebdriverIO, Espresso, XCUITest, …",
  takes: "PATH…",
  about: `PATH is a JUnit report, or a folder that holds some (*.xml, *.junit, *.gz, or by their content). Results of
NUnit, xUnit.net, TestNG, Visual Studio, CTest, Cucumber, Mocha, Playwright, Jest, CTRF, Go, Allure
and TAP are read too.
Each test case becomes a run with its class,
file, duration, failure and output. Files that its output names as [[ATTACHMENT|path]] are sent if they
lie below the folder of the report or below a folder PATH, and don't look like secrets.

A host knows runs of two kinds, so --kind is required: maestro for flows of an app, detox for tests in code.
import maestro and import detox read more of what those two tools write.
Running it again registers nothing twice.
The key needs the scopes preview_upload and test_runs.`,
  options: {
    kind: { type: "string", value: kinds.join("|"), help: "the kind of the runs; required" },
    ...importOptions
  },
  run: async ({ positionals, values }, context) => {
    const kind = kinds.find((one) => one === values.kind)
    if (kind === undefined) throw unusable(`import junit needs --kind ${kinds.join(" or --kind ")}.`)
    if (positionals.length === 0) throw unusable("import junit needs JUnit reports, or folders that hold some.")
    const { runImport } = await import("./import/runImport.ts")
    const { importJUnit } = await import("./import/junit/importJUnit.ts")
    return runImport(
      {
        name: "JUnit",
        paths: positionals,
        writes: "The first element of a JUnit report is testsuites or testsuite, with at least one testcase.",
        read: (_mask, log) => importJUnit(kind, positionals, context.cwd, log)
      },
      values,
      context
    )
  }
})

/** `import maestro`: the flows that `maestro test` ran. */
const importMaestro = command({
  name: "import maestro",
  summary: "Registers the flows that Maestro ran, with steps and recordings",
  takes: "PATH…",
  about: `PATH is what Maestro wrote: the folder of --debug-output or --test-output-dir, or ~/.maestro/tests;
reports of --format junit; or folders that hold any of them. Give as many as there are.
A flow with a folder has its steps, screenshots, videos and logs; one of a report alone has its
result. A flow that a report says ran again on its device is one run with its attempts. A flow
of which nothing tells how it ended is registered as failed: interrupted.

What a flow types and the variables that look like secrets (--env) are hidden in all that is sent.
Running it again registers nothing twice.
The key needs the scopes preview_upload and test_runs.`,
  options: importOptions,
  run: async ({ positionals, values }, context) => {
    if (positionals.length === 0) throw unusable("import maestro needs the files and folders that Maestro wrote.")
    const { runImport } = await import("./import/runImport.ts")
    const { importMaestro } = await import("./import/maestro/importMaestro.ts")
    return runImport(
      {
        name: "Maestro",
        paths: positionals,
        writes:
          "It writes them to ~/.maestro/tests, or to the folder of --debug-output or --test-output-dir; and with\n" +
          "`maestro test --format junit --output report.xml`, a report.",
        read: (mask, log) => importMaestro(positionals, context.cwd, mask, log)
      },
      values,
      context
    )
  }
})

const comment = command({
  name: "comment",
  summary: "Reports the test results of this CI run on the pull request",
  takes: "",
  about: `Asks the host for all test runs of this CI run (--source), from all its jobs, and reports what failed,
what was flaky, and how many passed, with links. Of tests that were run again, the latest attempt counts; the
earlier ones are linked.

On GitHub, GitLab, Bitbucket, Azure Repos and Gitea it writes one comment to the pull request, and later jobs and pushes
update that one.
Each job of a matrix may call it: the last one to write reports all of them. On GitHub, GITHUB_TOKEN must be set, and
the workflow needs permissions: pull-requests: write. On GitLab, GITLAB_TOKEN must be an access token of the project
with the scope api, on Bitbucket BITBUCKET_TOKEN one of the repository with pullrequest:write, and on Azure Repos
SYSTEM_ACCESSTOKEN must be set. The key needs the scope test_runs, and for the builds and previews of the commit the
scopes builds and preview_upload.
With --format check it writes the result of the commit: a check run on GitHub (permissions: checks: write), a commit
status elsewhere. A push to the branch of an open pull request counts as it.
A comment, check or summary that can't be written is an error: exit code 2 or 3.

With --app, only the runs of this app are reported, in a comment and check of their own.

Each failure is compared with the base branch (--base): new, or known there. With --fail-on new-failures, a failure
that the base branch has too is 0. If the host can't tell, the exit code is 3.

A CI run is not complete while an import of it is open, or registered fewer runs than it announced, or fewer imports
than --expect-imports are complete: its check is a failure, and --fail-on exits with 1. A source without runs is a
failure too, unless --if-empty says otherwise.`,
  options: { ...commentOptions, ...dryRunOption, ...settingOptions },
  run: async (input, context) => (await import("./comment/comment.ts")).comment(input, context)
})

const tests = command({
  name: "tests",
  summary: "Lists the tests of the repository that are broken or flaky",
  takes: "",
  about: `A test is broken if its last result is failed, and flaky if one of its last 100 results is. Without either
flag, all tests are listed. Without --branch, the results of all branches count.
The key needs the scope test_runs.`,
  options: testsOptions,
  run: async (input, context) => (await import("./terminal/terminal.ts")).tests(input, context)
})

const runs = command({
  name: "runs",
  summary: "Lists test runs, newest first",
  takes: "",
  about: `With --source, each failure says whether it is new, known on the base branch, or flaky there.
The key needs the scope test_runs.`,
  options: runsOptions,
  run: async (input, context) => (await import("./terminal/terminal.ts")).runs(input, context)
})

const run = command({
  name: "run",
  summary: "Shows one test run: why it failed, the log around it, its recordings",
  takes: "RUN",
  about: `RUN is the id of a run, as \`runs\` lists it, or the URL of its page.
The key needs the scope test_runs, and preview_upload for the steps, the log and the recordings.`,
  options: runOptions,
  run: async (input, context) => (await import("./terminal/terminal.ts")).run(input, context)
})

const failed = command({
  name: "failed",
  summary: "Lists the tests of this CI run to run again",
  takes: "",
  about: `Prints the tests whose latest attempt failed, as arguments of the tool, each on a line:
  slipway-ci failed --format maestro | tr '\\n' '\\0' | xargs -0 -r maestro test
  slipway-ci failed --format detox | tr '\\n' '\\0' | xargs -0 -r npx detox test --configuration ios.sim.release
Exits with 3 if more tests may have failed: the CI run is not complete, has no runs, or the file of a test isn't found.
The key needs the scope test_runs.`,
  options: failedOptions,
  run: async (input, context) => (await import("./terminal/terminal.ts")).failed(input, context)
})

const shard = command({
  name: "shard",
  summary: "Splits the files of tests over several jobs by how long they took",
  takes: "PATH…",
  about: `Prints the files of one shard, each on a line:
  slipway-ci shard --index 2 --of 4 flows/ | tr '\\n' '\\0' | xargs -0 -r maestro test
PATH is a file of tests, or a folder: its flows of Maestro, and the *.test.*, *.spec.* and *.e2e.* files below it.
The longest file is assigned first, each to the shard with the least so far. A file without a known duration counts
as the median. All jobs of one commit get the same answer, so each file is in exactly one shard: only runs count that
were registered in the 14 days before the commit.
The key needs the scope test_runs.`,
  options: shardOptions,
  run: async (input, context) => (await import("./terminal/shard.ts")).shard(input, context)
})

const quarantineAdd = command({
  name: "quarantine add",
  summary: "Quarantines a test: its failures are shown, and left out of conclusions",
  takes: "TEST",
  about: `TEST is the name of a test that has run. A quarantine of the same test is replaced.
The key needs the scopes test_runs and quarantine.`,
  options: quarantineAddOptions,
  run: async (input, context) => (await import("./terminal/quarantines.ts")).add(input, context)
})

const quarantineList = command({
  name: "quarantine list",
  summary: "Lists the quarantined tests, of the host and of slipway-quarantine.yaml",
  takes: "",
  about: "The key needs the scope test_runs.",
  options: quarantineListOptions,
  run: async (input, context) => (await import("./terminal/quarantines.ts")).list(input, context)
})

const quarantineRemove = command({
  name: "quarantine remove",
  summary: "Ends the quarantine of a test on the host",
  takes: "TEST",
  about: "The key needs the scopes test_runs and quarantine.",
  options: quarantineRemoveOptions,
  run: async (input, context) => (await import("./terminal/quarantines.ts")).remove(input, context)
})

const completion = command({
  name: "completion",
  summary: "Prints a script by which a shell completes commands and flags",
  takes: "bash|zsh|fish",
  about: `  eval "$(slipway-ci completion bash)"     in ~/.bashrc, and with zsh in ~/.zshrc
  slipway-ci completion fish | source      in ~/.config/fish/config.fish`,
  options: {},
  run: async ({ positionals: [shell] }, { out }) => {
    out((await import("./terminal/completion.ts")).completionOf(shell, commands))
    return ExitCode.done
  }
})

/** All commands, in the order that the help lists them. */
export const commands: ReadonlyArray<Command> = [
  uploadBuild,
  uploadPreview,
  importMaestro,
  importDetox,
  importJUnit,
  comment,
  tests,
  runs,
  run,
  failed,
  shard,
  quarantineAdd,
  quarantineList,
  quarantineRemove,
  completion
]
