/** Runs `slipway` commands in this process, as an administrator does beside a host. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect } from "effect"
import { command } from "../cli/command.ts"
import { runWith } from "../cli/parts/run.ts"

/** What a command printed as JSON; `undefined` if it failed. */
export const administer = (
  settings: Readonly<globalThis.Record<string, string>>,
  ...args: ReadonlyArray<string>
): Promise<unknown> => {
  const printed: Array<string> = []
  const console: Console.Console = {
    ...globalThis.console,
    log: (line: unknown) => void printed.push(String(line)),
    error: () => undefined
  }
  return runWith(command, [...args, "--json"]).pipe(
    Effect.map((code): unknown => (code === 0 ? JSON.parse(printed.join("\n")) : undefined)),
    Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(settings))]),
    Effect.provideService(Console.Console, console),
    Effect.runPromise
  )
}
