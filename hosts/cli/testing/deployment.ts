/** Several hosts behind a load balancer, each in its own process, and an account on them. */
import { Schema } from "effect"
import { freePort } from "../../../adapters/postgres/testing/freePort.ts"
import { startBalancer, type Balancer } from "./proxy.ts"
import { serve, serveHere, slipwayJson, temporaryFolder, type HostHere, type RunningHost } from "./slipway.ts"

/** Runs a command that must succeed, and returns the JSON it printed. */
export const runJson = (env: Record<string, string>, ...args: ReadonlyArray<string>): Promise<unknown> =>
  slipwayJson(args, { env })

const Issued = Schema.Struct({ id: Schema.String, key: Schema.String })

/** A key with all scopes, of a new account with the repository `acme/app`, made by the command line. */
export const newKey = async (env: Record<string, string>): Promise<typeof Issued.Type> => {
  await runJson(env, "account", "create", "acme")
  await runJson(env, "repo", "link", "acme/app", "--account", "acme")
  const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
  return Schema.decodeUnknownSync(Issued)(
    await runJson(env, "key", "create", "--account", "acme", "--name", "ci", ...scopes)
  )
}

export interface Host extends RunningHost {
  /** The URL it listens on. Its public URL is another one if it runs behind a balancer. */
  readonly url: string
  /** The engines that it printed. */
  readonly engines: string
}

const Listening = Schema.fromJsonString(
  Schema.Struct({ engines: Schema.Struct({ metadata: Schema.String, objects: Schema.String }) })
)

/** Starts a host on a free port, and under a command where one is given. */
export const startHost = async (
  env: Record<string, string>,
  cwd = temporaryFolder(),
  under: ReadonlyArray<string> = []
): Promise<Host> => {
  const port = await freePort()
  const host = await serve(["--json", "--port", String(port)], { env, cwd, under })
  const { metadata, objects } = Schema.decodeSync(Listening)(host.line).engines
  return { ...host, url: `http://127.0.0.1:${port}`, engines: `${metadata} and ${objects}` }
}

/** Starts a host in the process of the test, and returns its URL. */
export const startHere = async (env: Record<string, string>): Promise<HostHere & { readonly url: string }> => {
  const host = await serveHere(["--port", "0"], { env })
  return { ...host, url: host.line.split(" ").at(-1) ?? "" }
}

/** Hosts that were started at the same time, behind a balancer whose URL is their public URL. */
export interface Deployment {
  readonly balancer: Balancer
  readonly hosts: ReadonlyArray<Host>
}

/** Starts this many hosts with the same settings. */
export const startHosts = async (count: number, env: Record<string, string>): Promise<Deployment> => {
  const balancer = await startBalancer()
  const settings = { ...env, SLIPWAY_URL: balancer.url }
  const hosts = await Promise.all(Array.from({ length: count }, () => startHost(settings)))
  balancer.serve(hosts.map(({ url }) => url))
  return { balancer, hosts }
}
