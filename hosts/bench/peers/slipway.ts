/** The published Slipway as a process, filled with what the measured requests ask for. */
import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { createClient } from "../../client/index.ts"
import { started } from "../program.ts"
import { owner, repo } from "../repository.ts"

/** A side of a comparison: its process, its URL and the key that it admits. */
export interface Side {
  readonly pid: number
  readonly url: string
  readonly key: string
  readonly stop: () => Promise<void>
}

/** Starts it on the engines that `env` names: without any, embedded ones in a folder of their own below `root`. */
export const startSlipway = async (main: string, root: string, env: NodeJS.ProcessEnv): Promise<Side> => {
  const cwd = mkdtempSync(join(root, "slipway-"))
  const place = { cwd, env: { ...process.env, SLIPWAY_DATA: join(cwd, "data"), ...env } }
  const { line, pid, stop } = await started([main, "serve", "--port", "0"], place)
  const slipway = async (...args: ReadonlyArray<string>) =>
    (await promisify(execFile)(process.execPath, [main, ...args, "--json"], place)).stdout
  await slipway("account", "create", "bench")
  await slipway("repo", "link", `${owner}/${repo}`, "--account", "bench")
  const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
  const { key } = JSON.parse(await slipway("key", "create", "--account", "bench", "--name", "bench", ...scopes))
  return {
    pid,
    url: line.split(" ").at(-1) ?? "",
    key,
    stop: async () => {
      await stop()
      rmSync(cwd, { recursive: true, force: true })
    }
  }
}

/** A bundle of 4 KiB like no other: a bundle that is hosted already is cheaper to upload, and costs another statement. */
export const smallBundle = (): Buffer<ArrayBuffer> => Buffer.from(randomBytes(4096))
export const mebibyte = randomBytes(1024 ** 2)
export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** The body that reserves a build of a commit and of a bundle of its own. */
export const reserveBody = (bundle: Uint8Array = smallBundle()) => ({
  owner,
  repo,
  branch: "bench",
  platform: "ios" as const,
  commitSha: randomBytes(20).toString("hex"),
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript"
})

/** The cookie of a browser that signed in with a key. */
export const cookieOf = async (url: string, key: string): Promise<string> => {
  const body = new URLSearchParams({ key, to: "/" })
  const answer = await fetch(`${url}/sign-in`, { method: "POST", redirect: "manual", body })
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
}

/** The path at which a browser that is signed in reads the bundle of a preview. */
export const hostedPath = async ({ key, url }: Side): Promise<string> => {
  const client = createClient({ url, key })
  const declared = {
    contentHash: sha256(mebibyte),
    bundleSizeBytes: mebibyte.byteLength,
    bundleContentType: "application/octet-stream"
  }
  const { shareId, slots, token } = await client.previews.reserve(declared)
  await client.put(slots.bundle, mebibyte)
  await client.previews.finalize(token)
  const cookie = await cookieOf(url, key)
  const answer = await fetch(`${url}/previews/${shareId}/bundle`, { redirect: "manual", headers: { cookie } })
  const location = answer.headers.get("location")
  if (location === null) throw new Error(`the preview's bundle answered ${answer.status}`)
  return new URL(location, url).pathname
}
