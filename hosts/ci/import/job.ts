/** The id of a job within its CI run, as far as the CI has one: also those of a matrix, and the shards of one job. */
const variables = [
  "SLIPWAY_JOB",
  "GITHUB_JOB",
  // GitHub calls all jobs of a matrix the same; this is another one for each.
  "RUNNER_TRACKING_ID",
  "CI_JOB_NAME",
  "CI_NODE_INDEX",
  "CIRCLE_JOB",
  "CIRCLE_NODE_INDEX",
  "BUILDKITE_JOB_ID",
  "BITRISE_IO_PARALLEL_INDEX",
  "BITBUCKET_PARALLEL_STEP",
  "SYSTEM_JOBID",
  "STAGE_NAME",
  "SEMAPHORE_JOB_ID",
  "EAS_BUILD_ID"
]

/** Which job this is: a text that other jobs of the same CI run don't have. */
export const jobOf = (env: Readonly<Record<string, string | undefined>>): string =>
  JSON.stringify(variables.map((name) => env[name] || null))
