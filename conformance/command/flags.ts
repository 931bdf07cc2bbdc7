import { Flag } from "effect/cli"

const file = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("FILE"), Flag.optional)

const choice = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** The flags of `slipway conformance`. No flag takes a key, because a list of processes shows flags. */
export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Base URL of the target, without /api/v1 (SLIPWAY_CONFORMANCE_URL)"),
    Flag.optional
  ),
  config: file("config", "Config file (slipway-conformance.json if it is there)"),
  profiles: Flag.Literals("profile", ["builds", "previews", "testRuns"]).pipe(
    Flag.withDescription("What the target claims to be; repeat it for several (all)"),
    Flag.atLeast(0)
  ),
  only: Flag.String("only").pipe(
    Flag.withDescription(
      "Id of a check, of a sentence, or how ids begin (builds.put), to check alone; repeat it for several"
    ),
    Flag.withMetavar("ID"),
    Flag.atLeast(0)
  ),
  tokenLife: Flag.Int("token-life").pipe(
    Flag.withDescription("How many seconds a reservation token lives: it is waited for, and then it must be refused"),
    Flag.withMetavar("SECONDS"),
    Flag.optional
  ),
  keep: choice("keep", "Keep what the run creates on the target, even if the config has `cleanup`"),
  readOnly: choice("read-only", "Create nothing on the target: run only checks that read what the config supplies"),
  plan: choice("plan", "Show the planned checks and their cost, and send nothing"),
  coverage: choice("coverage", "Show every sentence of the interface and the checks that prove it, and send nothing"),
  schema: Flag.Literals("schema", ["config", "report"]).pipe(
    Flag.withDescription("Print the JSON Schema of a config file, or of a report"),
    Flag.optional
  ),
  init: choice("init", "Ask for a config and write it"),
  json: file("report-json", "Write the report as JSON, for verify and diff"),
  junit: file("report-junit", "Write the report as JUnit XML"),
  html: file("report-html", "Write the report as a page"),
  badge: file("badge", "Write the verdict as an SVG badge"),
  sign: file("sign", "Sign the report with the Ed25519 private key in this PEM file"),
  expected: file("expected-failures", "Checks that may fail: [{check, reason, expires}]")
}
