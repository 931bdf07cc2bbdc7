import { mostImports } from "../../../core/rules/imports.ts"
import type { Context } from "../command/Context.ts"
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

/** The flag of commands that announce or report imports. */
export const expectImportsOption = {
  "expect-imports": {
    type: "string",
    value: "NUMBER",
    help: "how many imports this CI run has, of all jobs: until then, it is incomplete\n(SLIPWAY_EXPECT_IMPORTS)"
  }
} as const

/** The value of the flag, else of its variable. */
export const expectedImportsIn = (flag: string | undefined, env: Context["env"]): number | undefined => {
  const text = flag?.trim() || env["SLIPWAY_EXPECT_IMPORTS"]?.trim() || undefined
  if (text === undefined || (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= mostImports))
    return text === undefined ? undefined : Number(text)
  throw unusable(
    `--expect-imports (SLIPWAY_EXPECT_IMPORTS) must be from 1 to ${mostImports}, and is ${JSON.stringify(text)}.`
  )
}
