import {
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { Schema } from "effect"
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { freePort, listen } from "../../adapters/postgres/testing/freePort.ts"
import { hasS3 } from "../../adapters/s3/testing/server.ts"
import { type Ceph, isCephInstalled, startCeph } from "../../adapters/s3/testing/startCeph.ts"
import { triedHeaders } from "../../adapters/s3/unsignedHeaders.ts"
import { createClient } from "../client/index.ts"
import { reliedOn } from "../node/doctor/s3.ts"
import { as, bucketSettings, databaseUrl, newKey, runSql, secret, startHere } from "./testing/deployment.ts"
import { putAll, upload, uploadPreview } from "./testing/flow.ts"
import { examined, serve, serveHere, slipway, slipwayJson, slipwayWith, temporaryFolder } from "./testing/slipway.ts"

describe("slipway doctor on PostgreSQL", () => {
  it("finds nothing wrong with a new database, before and after its tables are created, but requires a secret", async () => {
    const DATABASE_URL = await databaseUrl()
    const empty = await examined({ ...secret, DATABASE_URL })
    assert.deepStrictEqual(empty.wrong, [])
    assert.include(empty.of("PostgreSQL schema").detail, "no tables yet")
    assert.deepStrictEqual(await runSql(DATABASE_URL, "SELECT * FROM pg_tables WHERE schemaname = 'public'"), [])

    assert.strictEqual((await slipway(["account", "create", "acme"], { env: { DATABASE_URL } })).code, 0)
    const made = await examined({ DATABASE_URL })
    assert.deepStrictEqual(made.wrong, ["secret"])
    assert.include(made.of("secret").hint, "SLIPWAY_SECRET")
    assert.include(made.of("PostgreSQL schema").detail, "this version's")
    assert.deepStrictEqual(made.names, [
      "secret",
      "data folder",
      "disk",
      "PostgreSQL",
      "PostgreSQL schema",
      "PostgreSQL permissions",
      "filesystem",
      "clock",
      "hosted objects"
    ])
  })

  it("reports a wrong password without printing it", async () => {
    const url = await databaseUrl()
    const DATABASE_URL = as(url, "slipway", "an-other-word")
    const { stderr, stdout } = await slipway(["doctor"], { env: { ...secret, DATABASE_URL } })
    assert.match(stdout, /^✗ PostgreSQL: \S+ refuses the password of the user slipway\. Fix: .*DATABASE_URL$/m)
    assert.notInclude(stdout + stderr, "an-other-word")
    assert.strictEqual(stderr, "slipway: 1 of 5 checks found a problem.\n")
  })

  it("reports a user who may only read, by privileges or by a setting, and says how to fix it", async () => {
    const url = await databaseUrl()
    assert.strictEqual((await slipway(["account", "create", "acme"], { env: { DATABASE_URL: url } })).code, 0)
    const [reader, password] = [`reader_${crypto.randomUUID().slice(0, 8)}`, "a-password"]
    await runSql(url, `CREATE ROLE "${reader}" LOGIN PASSWORD '${password}'`)
    await runSql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO "${reader}"`)
    const env = { ...secret, DATABASE_URL: as(url, reader, password) }

    const byRights = await examined(env)
    assert.deepStrictEqual(byRights.wrong, ["PostgreSQL permissions"])
    const { detail, hint = "" } = byRights.of("PostgreSQL permissions")
    assert.strictEqual(detail, `the user ${reader} may not INSERT, UPDATE, DELETE on every table`)
    await runSql(url, /GRANT .*$/.exec(hint)?.[0] ?? "")
    assert.deepStrictEqual((await examined(env)).wrong, [])

    await runSql(url, `ALTER ROLE "${reader}" SET default_transaction_read_only = on`)
    const bySetting = await examined(env)
    assert.deepStrictEqual(bySetting.wrong, ["PostgreSQL permissions"])
    assert.include(bySetting.of("PostgreSQL permissions").detail, `transactions of the user ${reader} can only read`)
    await runSql(url, `DROP OWNED BY "${reader}"`)
    await runSql(url, `DROP ROLE "${reader}"`)
  })

  it("reports a clock that is five minutes off, and by how much", async () => {
    const env = { ...secret, DATABASE_URL: await databaseUrl() }
    const clock = join(import.meta.dirname, "testing", "shiftedClock.ts")
    for (const [shift, said] of [
      [300_000, /PostgreSQL's is [45] m \d+ s behind it/],
      [-300_000, /PostgreSQL's is [45] m \d+ s ahead of it/]
    ] as const) {
      const found = await examined({
        ...env,
        NODE_OPTIONS: `--import=${clock}`,
        SHIFTED_CLOCK_MS: String(shift)
      })
      assert.deepStrictEqual(found.wrong, ["clock"])
      assert.match(found.of("clock").detail, said)
    }
  })

  it("reports an unreachable server in one line and makes no further checks", async () => {
    const found = await examined({ ...secret, DATABASE_URL: "postgres://slipway:pw@127.0.0.1:1/slipway" })
    assert.deepStrictEqual(found.wrong, ["PostgreSQL"])
    assert.include(found.of("PostgreSQL").detail, "127.0.0.1:1 can't be reached: nothing listens there")
    assert.notInclude(found.names, "clock")
  })
})

describe.skipIf(!hasS3 || !(await isCephInstalled()))("slipway doctor on S3", () => {
  let ceph: Ceph
  let env: Record<string, string>
  let direct: Record<string, string>
  let client: S3Client

  beforeAll(async () => {
    ceph = await startCeph()
    env = bucketSettings(ceph)
    direct = { ...env, SLIPWAY_S3_UPLOADS: "direct" }
    const { accessKeyId, endpoint, region, secretAccessKey } = ceph
    client = new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey } })
  })
  afterAll(async () => {
    client.destroy()
    await ceph.remove()
  })

  const keys = async () =>
    ((await client.send(new ListObjectsV2Command({ Bucket: ceph.bucket }))).Contents ?? []).map(({ Key }) => Key)

  it("reports a bucket without CORS and lifecycle; the commands it prints work, and the doctor leaves nothing behind", async () => {
    const without = await examined(direct)
    const unsafe = triedHeaders.map(() => "S3 refusals")
    assert.deepStrictEqual(without.wrong, [...unsafe, "S3 CORS"])
    for (const header of triedHeaders) {
      assert.match(without.stdout, new RegExp(`PUT URL wasn't signed for \\(${header}\\).*SLIPWAY_S3_UPLOADS=host`))
    }
    const [, configuration = ""] = /--cors-configuration '(.*)'$/.exec(without.of("S3 CORS").hint ?? "") ?? []
    await client.send(new PutBucketCorsCommand({ Bucket: ceph.bucket, CORSConfiguration: JSON.parse(configuration) }))
    const [, lifecycle = ""] =
      /put-bucket-lifecycle-configuration .*--lifecycle-configuration '(.*)'$/.exec(
        without.of("S3 lifecycle").detail
      ) ?? []
    await client.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: ceph.bucket,
        LifecycleConfiguration: JSON.parse(lifecycle)
      })
    )
    const fixed = await examined(direct)
    assert.deepStrictEqual(fixed.wrong, unsafe)
    assert.match(fixed.of("S3 lifecycle").detail, /^a rule of the bucket deletes /)
    assert.deepStrictEqual(fixed.names, [
      "secret",
      "data folder",
      "disk",
      "SQLite",
      "S3",
      "S3 permissions",
      "S3 signed PUT",
      ...reliedOn.filter(([name]) => name === "S3 refusals").map(([name]) => name),
      "S3 CORS",
      "S3 objects",
      "S3 lifecycle",
      "clock"
    ])
    assert.deepStrictEqual(await keys(), [])
  })

  it("finds nothing wrong with the same bucket if uploads go through the host, and leaves nothing behind", async () => {
    const found = await examined(env)
    assert.deepStrictEqual(found.wrong, [])
    assert.notInclude(found.names, "S3 refusals")
    assert.include(found.of("S3 uploads").detail, "through the host")
    assert.deepStrictEqual(await keys(), [])
  })

  it("reports a bucket that doesn't exist, and wrong credentials", async () => {
    for (const [settings, said] of [
      [{ SLIPWAY_S3_BUCKET: "missing" }, "there is no bucket missing"],
      [{ AWS_ACCESS_KEY_ID: "NOBODY" }, "the access key id is unknown to the store"],
      [{ AWS_SECRET_ACCESS_KEY: "wrong" }, "the secret access key doesn't belong to the access key id"],
      [{ SLIPWAY_S3_ENDPOINT: "http://127.0.0.1:1" }, "http://127.0.0.1:1 can't be reached: nothing listens there"]
    ] as const) {
      const found = await examined({ ...env, ...settings })
      assert.deepStrictEqual(found.wrong, ["S3"])
      assert.strictEqual(found.of("S3").detail.slice(0, said.length), said)
    }
  })

  it("reports missing permissions, and stores nothing that the credentials can't delete", async () => {
    for (const [name, access, may] of [
      ["READER", "read", "s3:DeleteObject, s3:PutObject"],
      ["WRITER", "write", "s3:ListBucket, s3:GetObject"]
    ] as const) {
      const own = [`--subuser=slipway:${name}`, `--access=${access}`, `--access-key=${name}`, `--secret-key=${name}KEY`]
      await ceph.admin("subuser", "create", "--uid=slipway", "--key-type=s3", ...own)
      const found = await examined({ ...env, AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: `${name}KEY` })
      assert.deepStrictEqual(found.wrong, ["S3 permissions"])
      assert.include(found.of("S3 permissions").detail, `may not ${may} in the bucket`)
      assert.deepStrictEqual(await keys(), [])
    }
  })

  it("blames this machine's clock if the database and the store both differ from it by five minutes", async () => {
    const found = await examined({
      ...env,
      ...secret,
      DATABASE_URL: await databaseUrl(),
      NODE_OPTIONS: `--import=${join(import.meta.dirname, "testing", "shiftedClock.ts")}`,
      SHIFTED_CLOCK_MS: "-300000"
    })
    assert.include(found.wrong, "clock")
    assert.match(found.of("clock").detail, /PostgreSQL's is .* ahead of it, S3's is .* ahead of it$/)
    assert.match(found.of("clock").hint ?? "", /^set this machine's by NTP/)
  })
})

describe("slipway doctor on embedded engines", () => {
  const on = (data: string) => examined({ SLIPWAY_DATA: data })

  it("finds nothing wrong before the first start, during a run of the host and after it, and creates nothing", async () => {
    const data = join(temporaryFolder(), "data")
    const before = await on(data)
    assert.deepStrictEqual(before.wrong, [])
    assert.include(before.of("data folder").detail, "is not there yet")
    const again = await on(data)
    assert.deepStrictEqual(again.of("data folder"), before.of("data folder"))

    const host = await serve(["--port", "0", "--data", data])
    const during = await on(data)
    assert.deepStrictEqual(during.wrong, [])
    assert.include(during.of("SQLite").detail, "in use by a host")
    assert.strictEqual(during.of("filesystem").detail, "copies, reads back, lists and deletes")
    await host.stop("SIGTERM")
    const after = await on(data)
    assert.deepStrictEqual(after.wrong, [])
    assert.include(after.of("SQLite").detail, "this version's")
  })

  it("with --deep reads every object, and names one that was changed on disk", async () => {
    const data = join(temporaryFolder(), "data")
    const host = await serve(["--port", "0", "--data", data])
    const place = { env: { SLIPWAY_DATA: data } }
    await slipway(["account", "create", "acme"], place)
    const args = ["key", "create", "--account", "acme", "--name", "ci", "--scope", "preview_upload"]
    const { key } = Schema.decodeUnknownSync(Schema.Struct({ key: Schema.String }))(await slipwayJson(args, place))
    const client = createClient({ url: host.line.slice("Slipway listening on ".length), key })
    const sent = upload("hello", 0)
    await uploadPreview(client, sent)
    const deep = () => slipwayWith(["doctor", "--deep"], { SLIPWAY_DATA: data })
    assert.match(
      (await deep()).stdout,
      /^✓ contents: 1 objects \(\d+ bytes\) were read and are as they were uploaded$/m
    )
    const [name = ""] = readdirSync(join(data, "objects"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("bundle,object")
    )
    const path = join(data, "objects", name)
    const stored = readFileSync(path, "latin1")
    writeFileSync(
      path,
      stored.replace(/,"contentHash":"\w{64}"\}/, (digest) => `}${" ".repeat(digest.length - 1)}`)
    )
    assert.match((await deep()).stdout, /^✓ contents: 1 objects /m)
    writeFileSync(path, stored.replace("hello", "hullo"), "latin1")
    const changed = await deep()
    assert.strictEqual(changed.code, 1)
    assert.match(
      changed.stdout,
      /^✗ contents: 1 of 1 objects changed since they were uploaded: hosted\/\S+\/bundle\. Fix: /m
    )
    assert.deepStrictEqual((await on(data)).wrong, [])
    await host.stop("SIGTERM")
  })

  it("samples the hosted objects without --deep, and names one that was deleted; a host counts its reads", async () => {
    const [data, metrics] = [join(temporaryFolder(), "data"), await freePort()]
    const env = { SLIPWAY_DATA: data, SLIPWAY_METRICS_PORT: String(metrics) }
    const host = await startHere(env)
    assert.strictEqual((await on(data)).of("hosted objects").detail, "no objects yet")
    const { key } = await newKey(env)
    const client = createClient({ url: host.url, key })
    const sent = upload("hello", 0)
    const { bundle } = await uploadPreview(client, sent)
    assert.match((await on(data)).of("hosted objects").detail, /^1, drawn at random, are there/)

    const objects = join(data, "objects/objects")
    const all = readdirSync(objects, { recursive: true, encoding: "utf8" })
    rmSync(join(objects, all.find((path) => path.endsWith("bundle,object")) ?? ""))
    const found = await on(data)
    assert.deepStrictEqual(found.wrong, ["hosted objects"])
    assert.match(
      found.of("hosted objects").detail,
      /^1 of 1 that the metadata names aren't there: hosted\/\S+\/bundle$/
    )
    const read = await fetch(bundle.url ?? "", { headers: { authorization: `Bearer ${key}` } })
    assert.strictEqual(read.status, 404)
    assert.include(
      await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text(),
      '\nslipway_hosted_objects_unusable_total{reason="missing"} 1\n'
    )
  })

  it("names a file that was put in the place of another one, which no host serves, whether its upload declared a digest or not", async () => {
    const env = { SLIPWAY_DATA: join(temporaryFolder(), "data") }
    const host = await startHere(env)
    const { key } = await newKey(env)
    const client = createClient({ url: host.url, key })
    const sent = upload("hello", 3)
    const files = sent.declaration.files.map(({ contentHash, ...file }, index) =>
      index === 0 ? { ...file, contentHash } : file
    )
    const preview = await uploadPreview(client, sent, { files })
    const status = async (index: number) =>
      (await fetch(preview.files[index]?.url ?? "", { headers: { authorization: `Bearer ${key}` } })).status
    assert.deepStrictEqual([await status(0), await status(1), await status(2)], [200, 200, 200])

    const objects = join(env.SLIPWAY_DATA, "objects/objects")
    const fileOf = (index: number) => {
      const all = readdirSync(objects, { recursive: true, encoding: "utf8" })
      return join(objects, all.find((path) => path.endsWith(`files/${index},object`)) ?? "")
    }
    for (const index of [0, 1]) copyFileSync(fileOf(2), fileOf(index))
    assert.deepStrictEqual([await status(0), await status(1), await status(2)], [503, 503, 200])
    const { code, stdout } = await slipway(["doctor", "--deep"], { env })
    assert.strictEqual(code, 1)
    assert.match(
      stdout,
      /^✗ contents: 2 of 4 objects changed since they were uploaded: hosted\/\S+\/files\/[01], hosted\/\S+\/files\/[01]\. /m
    )
    await host.stop()
  })

  it("compares an object that uploads share with each of them, and none shares it further once it was replaced", async () => {
    const env = { SLIPWAY_DATA: join(temporaryFolder(), "data") }
    const host = await startHere(env)
    const { key } = await newKey(env)
    const client = createClient({ url: host.url, key })
    const sent = upload("hello", 0)
    const reserve = (bundleContentType: string) =>
      client.previews.reserve({ ...sent.declaration, bundleContentType, contentHash: sent.bundle.contentHash })
    const served = async (url: string) => {
      const { headers, status } = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      return status === 200 ? headers.get("content-type") : status
    }
    const first = await reserve("text/javascript")
    await putAll(client, first.slots, sent)
    const previews = [await client.previews.finalize(first.token)]
    for (const type of ["text/plain", "image/png"]) {
      previews.push(await client.previews.finalize((await reserve(type)).token))
    }
    const bundles = () => Promise.all(previews.map(({ bundle }) => served(bundle.url ?? "")))
    assert.deepStrictEqual(await bundles(), ["text/javascript", "text/plain", "image/png"])
    const deep = () => slipway(["doctor", "--deep"], { env })
    assert.match((await deep()).stdout, /^✓ contents: 1 objects /m)

    const objects = join(env.SLIPWAY_DATA, "objects/objects")
    const all = readdirSync(objects, { recursive: true, encoding: "utf8" })
    const file = join(objects, all.find((path) => path.endsWith("bundle,object")) ?? "")
    writeFileSync(
      file,
      readFileSync(file, "latin1").replace(/"contentHash":"\w{64}"/, `"contentHash":"${"0".repeat(64)}"`)
    )
    assert.deepStrictEqual(await bundles(), [503, 503, 503])
    assert.match(
      (await deep()).stdout,
      /^✗ contents: 1 of 1 objects changed since they were uploaded: hosted\/\S+\/bundle\. /m
    )

    const next = await reserve("text/css")
    const early = await client.previews.finalize(next.token).then(
      () => undefined,
      (error: unknown) => String(error)
    )
    assert.isDefined(early)
    await putAll(client, next.slots, sent)
    previews.push(await client.previews.finalize(next.token))
    assert.deepStrictEqual(await bundles(), [503, 503, 503, "text/css"])
    await host.stop()
  })

  it("reports an unusable data folder, a secret that is too short, and a disk too small for a reservation", async () => {
    const file = join(temporaryFolder(), "file")
    writeFileSync(file, "")
    const found = await on(join(file, "data"))
    assert.include(found.wrong, "data folder")
    assert.include(found.of("data folder").detail, "can't be written (ENOTDIR)")

    const data = join(temporaryFolder(), "data")
    mkdirSync(data)
    writeFileSync(join(data, "secret"), "short")
    const small = await examined({ SLIPWAY_DATA: data, SLIPWAY_MAX_TOTAL_SIZE: String(Number.MAX_SAFE_INTEGER) })
    assert.deepStrictEqual(small.wrong, ["secret", "disk"])
    assert.include(small.of("disk").detail, "one reservation may take 8 PiB")
  })

  it("reports a folder of backups without any, with an old one, and after one that failed", async () => {
    const folder = temporaryFolder()
    const found = async () => (await examined({ SLIPWAY_BACKUPS: folder })).of("backups")
    assert.strictEqual((await found()).detail, `there is none in ${folder}`)
    const file = join(folder, "slipway-1.tar")
    writeFileSync(file, "")
    assert.deepStrictEqual(await found(), {
      name: "backups",
      ok: true,
      detail: `the newest in ${folder} is 1 minute old`
    })
    const ago = Date.now() / 1000 - 27.5 * 3600
    utimesSync(file, ago, ago)
    assert.include(await found(), { ok: false, detail: `the newest in ${folder} is 27 hours old` })
    writeFileSync(join(folder, "failed"), "")
    assert.include(await found(), { ok: false, detail: `the last backup to ${folder} failed` })
  })

  it("exits with 2 for an invalid setting", async () => {
    const { code, stderr, stdout } = await slipway(["doctor", "--database-url", "mysql://slipway"])
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.match(stderr, /^slipway: DATABASE_URL \(--database-url\) must be a URL such as postgres:\S+, .*\n$/)
  })
})

describe("slipway health", () => {
  it("exits with 0 if the host is ready, also where it listens on every address", async () => {
    const { line, stop } = await serveHere(["--host", "0.0.0.0", "--port", "0", "--data", temporaryFolder()])
    const port = new URL(line.split(" ").at(-1) ?? "").port
    const url = `http://127.0.0.1:${port}`
    assert.deepStrictEqual(await slipway(["health"], { env: { SLIPWAY_HOST: "0.0.0.0", SLIPWAY_PORT: port } }), {
      code: 0,
      stdout: `The host at ${url} is ready.\n`,
      stderr: ""
    })
    await stop()
    assert.deepStrictEqual(await slipway(["health", "--port", port]), {
      code: 1,
      stdout: "",
      stderr: `slipway: No host answers at ${url}.\n`
    })
  })

  it("exits with 1 if an engine of the host can't be reached", async () => {
    const unavailable = createServer((_, response) => response.writeHead(503).end())
    onTestFinished(() => void unavailable.close())
    const port = String(await listen(unavailable))
    const { code, stderr } = await slipway(["health", "--port", port])
    assert.strictEqual(code, 1)
    assert.include(stderr, "is not ready (503)")
  })
})

it("slipway doctor reports files that it can't access, which may be there", async () => {
  const SLIPWAY_DATA = temporaryFolder()
  // A link to itself can't be followed, as a folder of another user can't be opened.
  for (const name of ["metadata.sqlite", "objects"]) symlinkSync(name, join(SLIPWAY_DATA, name))
  const found = await examined({ SLIPWAY_DATA })
  assert.includeMembers([...found.wrong], ["SQLite", "filesystem"])
  for (const name of ["SQLite", "filesystem"]) assert.include(found.of(name).detail, "can't be accessed (ELOOP)")
  const { code, stderr } = await slipway(["account", "list"], { env: { SLIPWAY_DATA } })
  assert.strictEqual(code, 1)
  assert.match(stderr, /^slipway: SLIPWAY_DATA: .*metadata\.sqlite can't be accessed \(ELOOP\); run the command as/)
})
