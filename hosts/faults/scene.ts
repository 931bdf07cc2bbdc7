import { administer } from "./administer.ts"
import { at, type Circumstances } from "./requests.ts"
import { choicesOf } from "./choices.ts"
import type { Deployment } from "./deployment.ts"
import type { Account } from "./resources.ts"
import type { Scene } from "./situations.ts"
import type { World } from "./uploading.ts"

const scopes = ["builds", "preview_upload", "test_runs", "delete"].flatMap((scope) => ["--scope", scope])

/** A new account with a repository `NAME/app` and a key. */
const newAccount = async (settings: Readonly<globalThis.Record<string, string>>, name: string): Promise<Account> => {
  await administer(settings, "account", "create", name)
  await administer(settings, "repo", "link", `${name}/app`, "--account", name)
  const key = at(await administer(settings, "key", "create", "--account", name, "--name", "ci", ...scopes), "key")
  if (typeof key !== "string") throw new Error(`no key was made for ${name}`)
  return { name, key, resources: [], cookie: undefined }
}

/** Starts the hosts of a deployment, with new accounts on them. */
export const openScene = async (
  deployment: Deployment,
  { record }: Pick<Circumstances, "record">,
  seed: string
): Promise<Scene> => {
  const { hosts, now, settings } = deployment
  await Promise.all(hosts.map((host) => host.start()))
  const accounts = [
    await newAccount(settings, "acme"),
    await newAccount(settings, "initech"),
    await newAccount(settings, "hooli")
  ] as const
  const world: World = { record, hosts, now, isDiskFull: false, isOver: false, lastEnd: 0 }
  return { world, deployment, accounts: [...accounts], choices: choicesOf(seed) }
}
