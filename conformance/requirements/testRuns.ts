import { derived, must, type Requirement } from "./Requirement.ts"

/** The checks of drawn sequences. */
const drawn = ["runs.drawn.1", "runs.drawn.2", "runs.drawn.3"]

/** The sentences about test runs, and those about everything as far as they bear on test runs. */
export const testRuns: ReadonlyArray<Requirement> = [
  must(
    "service.run-points-at-preview",
    "1",
    "A test run is a registered result that points at an already uploaded preview.",
    ["runs.register.stored", "runs.register.unknown-preview"]
  ),
  must("service.run-of-account", "1", "Every test run is tied to an authenticated account.", [
    ...drawn,
    "runs.list.foreign-repository"
  ]),
  must(
    "service.run-repository-linked",
    "1",
    "The repository of a test run must be linked to the authenticated account.",
    [...drawn]
  ),
  must("runs.register.fields", "2.7", "A registration accepts the fields of the table in their formats.", [...drawn]),
  must("runs.kind", "2.7", "`kind` is required and is `maestro` or `detox`.", [...drawn]),
  must("runs.name-or-prompt", "2.7", "`name`, `prompt`, or both are provided.", [...drawn]),
  must(
    "runs.status-exactly-passed",
    "2.7",
    "A run is stored as passed only when `status` is exactly `passed`; any other value is stored as failed.",
    [...drawn]
  ),
  must("runs.failure-optional", "2.7", "`failureMessage` and `failedStepIndex` are optional, for failed runs.", [
    ...drawn
  ]),
  must("runs.preview-share-id", "2.7", "`previewShareId` is the `shareId` of an uploaded preview.", [
    "runs.register.unknown-preview",
    ...drawn
  ]),
  must(
    "runs.register.urls",
    "2.7",
    "The response has `previewUrl` and `traceUrl`, absolute URLs on the hosted viewer host.",
    ["runs.register.stored", ...drawn]
  ),
  must(
    "runs.transition.stored",
    "3",
    "A run whose preview belongs to the account is stored as passed if `status` is exactly `passed`, else as failed.",
    ["runs.register.stored", ...drawn]
  ),
  must("runs.register.endpoint", "4.9", "POST /api/v1/test-runs with the fields of a run registers it.", [
    "runs.register.stored",
    ...drawn
  ]),
  must(
    "runs.register.absolute-urls",
    "4.9",
    "The response includes absolute `previewUrl` and `traceUrl` on the hosted viewer host.",
    ["runs.register.stored", ...drawn]
  ),
  must(
    "runs.register.own-preview",
    "4.9",
    "The preview that `previewShareId` names must belong to the authenticated account.",
    ["runs.register.unknown-preview", ...drawn]
  ),
  must(
    "runs.list.endpoint",
    "4.10",
    "GET /api/v1/test-runs with `org` and `repo` lists the test runs of that repository.",
    ["runs.register.stored", "runs.list.repository-alone", ...drawn]
  ),
  must(
    "runs.list.repository-linked",
    "4.10",
    "`org` and `repo` are required and must identify a repository linked to the authenticated account.",
    [
      "runs.list.without-org",
      "runs.list.without-repo",
      "runs.list.unlinked-repository",
      "runs.list.foreign-repository",
      ...drawn
    ]
  ),
  must("runs.list.filters", "4.10", "`branch`, `kind`, `status`, `source` and `pr` are optional filters.", [
    "runs.list.other-filters",
    "runs.list.repository-alone",
    ...drawn
  ]),
  must("runs.list.limit-clamped", "4.10", "`limit` is optional and clamped to the range 1 to 100.", [
    "runs.list.repository-alone",
    ...drawn
  ]),
  must("runs.list.newest-first", "4.10", "The list is newest first.", ["runs.list.newest-first", ...drawn]),
  must(
    "auth.run-key-resolves",
    "5",
    "Requests about test runs are authenticated with a key that resolves to an account.",
    [...drawn, "runs.key.read"]
  ),
  must("auth.scope-runs", "5", "The test-runs endpoints require the scope `test_runs`.", [...drawn, "runs.key.read"]),
  derived(
    "auth.run-visibility",
    "5",
    "Repositories and previews of another account are not visible to registrations and lists of runs.",
    ["4.9", "4.10", "5"],
    ["runs.list.foreign-repository"]
  ),
  derived(
    "errors.run-mistakes",
    "7",
    "The response to an invalid request to a test-runs endpoint is not a server error (5xx).",
    ["7"],
    ["runs.mistakes.register", "runs.mistakes.body", "runs.mistakes.list"]
  ),
  must("limits.runs-limit", "8", "`limit` of the list of test runs is clamped to 1 through 100.", drawn)
]
