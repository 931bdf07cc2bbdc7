import { unusable } from "../command/Stopped.ts"

const failOns = ["failed", "flaky", "new-failures"] as const
/** What `--fail-on` names. */
export type FailOn = (typeof failOns)[number]

/** The flag of commands that report test results. */
export const failOnOption = {
  "fail-on": {
    type: "string",
    value: "WHAT",
    help: "failed: exit with 1 if a test failed, by its latest attempt\nflaky: also if one passed on a later try\nnew-failures: only if one failed that didn't fail on the base branch too"
  }
} as const

/** The value of the flag. */
export const failOnIn = (text: string | undefined): FailOn | undefined => {
  const found = failOns.find((one) => one === text)
  if (text === undefined || found !== undefined) return found
  throw unusable(`--fail-on must be ${failOns.join(" or ")}, and is ${JSON.stringify(text)}.`)
}
