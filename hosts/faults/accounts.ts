import { administer } from "./administer.ts"
import { at } from "./requests.ts"
import type { Account } from "./resources.ts"

const scopes = ["builds", "preview_upload", "test_runs", "delete"].flatMap((scope) => ["--scope", scope])

/** A new account with a repository `NAME/app` and a key. */
export const newAccount = async (
  settings: Readonly<globalThis.Record<string, string>>,
  name: string
): Promise<Account> => {
  await administer(settings, "account", "create", name)
  await administer(settings, "repo", "link", `${name}/app`, "--account", name)
  const key = at(await administer(settings, "key", "create", "--account", name, "--name", "ci", ...scopes), "key")
  if (typeof key !== "string") throw new Error(`no key was made for ${name}`)
  return { name, key, resources: [], cookie: undefined }
}
