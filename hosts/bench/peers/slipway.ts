/** The published Slipway as a process, filled with what the measured requests ask for. */
import { execFile, execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openAsBlob,
  readdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
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
export const startSlipway = async (
  main: string,
  root: string,
  env: NodeJS.ProcessEnv,
  port = 0
): Promise<Side & { readonly data: string }> => {
  const cwd = mkdtempSync(join(root, "slipway-"))
  const place = { cwd, env: { ...process.env, SLIPWAY_DATA: join(cwd, "data"), ...env } }
  const { line, pid, stop } = await started([main, "serve", "--port", String(port)], place)
  const slipway = async (...args: ReadonlyArray<string>) =>
    (await promisify(execFile)(process.execPath, [main, ...args, "--json"], place)).stdout
  await slipway("account", "create", "bench")
  await slipway("repo", "link", `${owner}/${repo}`, "--account", "bench")
  const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
  const { key } = JSON.parse(await slipway("key", "create", "--account", "bench", "--name", "bench", ...scopes))
  return {
    pid,
    url: /http:[^\s"]+/.exec(line)?.[0] ?? "",
    key,
    data: join(cwd, "data"),
    stop: async () => {
      await stop()
      rmSync(cwd, { recursive: true, force: true })
    }
  }
}

/** A bundle of 4 KiB like no other: a bundle that is hosted already is cheaper to upload, and costs another statement. */
export const smallBundle = (): Buffer<ArrayBuffer> => Buffer.from(randomBytes(4096))
export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** Another host on the database of a side, with the same accounts and keys. */
export const startAnother = async (main: string, root: string, first: Side, env: NodeJS.ProcessEnv): Promise<Side> => {
  const cwd = mkdtempSync(join(root, "slipway-"))
  const place = { cwd, env: { ...process.env, SLIPWAY_DATA: join(cwd, "data"), ...env } }
  const { line, pid, stop } = await started([main, "serve", "--port", "0"], place)
  return { pid, url: line.split(" ").at(-1) ?? "", key: first.key, stop }
}

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

/** The 400 different files of 1 MiB that are sent and read, in a folder, with their digests. */
export const writeFiles = (scratch: Scratch): Files => {
  const folder = join(scratch.folder, "files")
  mkdirSync(folder, { recursive: true })
  const hashes = Array.from({ length: 400 }, (_, index) => {
    const bytes = randomBytes(1024 ** 2)
    writeFileSync(join(folder, String(index)), bytes)
    return sha256(bytes)
  })
  return { folder, hashes }
}

export interface Files {
  readonly folder: string
  readonly hashes: ReadonlyArray<string>
}

/** A preview of a small bundle with the files. */
const declared = (hashes: ReadonlyArray<string | undefined>, bundle: Uint8Array) => ({
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript",
  files: hashes.map((contentHash, index) => ({
    path: `f${index}`,
    sizeBytes: 1024 ** 2,
    contentType: "application/octet-stream",
    ...(contentHash === undefined ? {} : { contentHash })
  }))
})

/** Reserves a preview, and answers the paths to which its files are sent. Without digests, a file that is hosted already is sent again. */
export const reservedPaths = async ({ key, url }: Side, { hashes }: Files): Promise<ReadonlyArray<string>> => {
  const client = createClient({ url, key })
  const { slots } = await client.previews.reserve(
    declared(
      hashes.map(() => undefined),
      smallBundle()
    )
  )
  return slots.files.map(({ putUrl }) => putUrl.slice(url.length))
}

/** Uploads a preview with the files, and answers the path at which a browser that is signed in reads the first one. */
export const hostedPath = async ({ key, url }: Side, { folder, hashes }: Files): Promise<string> => {
  const client = createClient({ url, key })
  const bundle = smallBundle()
  const { shareId, slots, token } = await client.previews.reserve(declared(hashes, bundle))
  await client.put(slots.bundle, bundle)
  for (const [index, slot] of slots.files.entries()) {
    await client.put(slot, await openAsBlob(join(folder, String(index))))
  }
  await client.previews.finalize(token)
  const cookie = await cookieOf(url, key)
  const answer = await fetch(`${url}/previews/${shareId}/files/f0`, { redirect: "manual", headers: { cookie } })
  const location = answer.headers.get("location")
  if (location === null) throw new Error(`the preview's file answered ${answer.status}`)
  return new URL(location, url).pathname
}

// Installs the peers: packages of npm and programs of Debian, into a folder outside the checkout that later runs use again.

/** The versions of the peers from npm. */
export const versions = { fastify: "5.12.8", pg: "8.23.1", "turborepo-remote-cache": "2.12.0" }

/** Packages of Debian's archive, unpacked without installation, so that no root is needed. */
const debian = ["wrk", "libluajit-5.1-2", "nginx", "postgresql-15", "libpq5", "rclone", "docker-registry"]

export interface Scratch {
  readonly folder: string
  /** The path of a program from Debian; undefined where Debian's archive can't be reached. */
  readonly program: (name: keyof typeof places) => string | undefined
  /** What those programs need in their environment. */
  readonly env: NodeJS.ProcessEnv
}

const places = {
  wrk: "usr/bin/wrk",
  nginx: "usr/sbin/nginx",
  pgbench: "usr/lib/postgresql/15/bin/pgbench",
  rclone: "usr/bin/rclone",
  registry: "usr/bin/docker-registry"
}

const unpack = (folder: string, root: string): void => {
  const downloads = join(folder, "downloads")
  mkdirSync(downloads, { recursive: true })
  for (const name of debian) {
    try {
      execFileSync("apt-get", ["download", "-qq", name], { cwd: downloads, stdio: "ignore" })
    } catch {
      process.stderr.write(`Debian's ${name} can't be had here: its rows are left out\n`)
    }
  }
  for (const file of readdirSync(downloads)) execFileSync("dpkg", ["-x", join(downloads, file), root])
}

export const install = (): Scratch => {
  const folder = join(tmpdir(), `slipway-bench-peers-${process.getuid?.() ?? 0}`)
  mkdirSync(folder, { recursive: true })
  const wanted = JSON.stringify({ private: true, type: "module", dependencies: versions })
  if (!existsSync(join(folder, "node_modules"))) {
    process.stderr.write(`installing ${Object.keys(versions).join(", ")} into ${folder}\n`)
    writeFileSync(join(folder, "package.json"), wanted)
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder, stdio: "ignore" })
  }
  const root = join(folder, "debian")
  if (Object.values(places).some((place) => !existsSync(join(root, place)))) {
    mkdirSync(root, { recursive: true })
    unpack(folder, root)
  }
  const programs = join(import.meta.dirname, "programs")
  for (const file of readdirSync(programs)) copyFileSync(join(programs, file), join(folder, file))
  const libraries = readdirSync(join(root, "usr/lib"), { withFileTypes: true }).filter(({ name }) =>
    name.endsWith("-gnu")
  )
  return {
    folder,
    program: (name) => (existsSync(join(root, places[name])) ? join(root, places[name]) : undefined),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries.map(({ name }) => join(root, "usr/lib", name)).join(":")
    }
  }
}
