/** A deployment is backed up while it is in use, and restored completely. */
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import { Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { hasS3, s3Server } from "../../adapters/s3/testing/server.ts"
import { bucketSettings, databaseUrl, runJson, secret } from "./testing/deployment.ts"
import { startUsed, uploadBuild } from "./testing/flow.ts"
import { main, serve, slipway, slipwayProcess, temporaryFolder } from "./testing/slipway.ts"

/** The content of every file in a folder, by file name. */
const everythingIn = (folder: string) => (existsSync(folder) ? readdirSync(folder, { recursive: true }).toSorted() : [])

describe("slipway backup and restore", () => {
  it("keep everything while a host accepts uploads, and name the unfinished uploads", async () => {
    const { assertWhole, client, env, host, port } = await startUsed()
    await client.previews.upload({ bundle: { body: gzipSync("app()"), contentType: "application/gzip" } })
    const file = join(temporaryFolder(), "backup.tar")
    const stopped = new AbortController()
    const uploading = (async () => {
      for (let commit = 1000; !stopped.signal.aborted; commit++) await uploadBuild(client, commit)
    })()
    const { code, stderr, stdout } = await slipwayProcess(["backup", file], { env })
    stopped.abort()
    await uploading
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /^Backed up to .*: \d+ records, \d+ objects, \d+ bytes\.\n/)
    assert.match(stdout, /left behind: the upload of build acme\/app main ios 0{38}63, under way until 2/)
    await assertWhole()
    await host.stop("SIGTERM")
    rmSync(env.SLIPWAY_DATA, { recursive: true })

    const restored = await slipway(["restore", file], { env })
    assert.strictEqual(restored.code, 0, restored.stderr)
    await serve(["--port", port], { env })
    await assertWhole()
    const deep = await slipway(["doctor", "--deep"], { env })
    assert.match(deep.stdout, /^✓ contents: \d+ objects \(\d+ bytes\) were read and are as they were uploaded$/m)
  })

  it("write a damaged object as it is, name it, and exit with 1; an earlier backup fixes it", async () => {
    const { env, host } = await startUsed()
    await host.stop("SIGTERM")
    const [earlier, elsewhere] = [join(temporaryFolder(), "earlier.tar"), join(temporaryFolder(), "data")]
    assert.strictEqual((await slipway(["backup", earlier], { env })).code, 0)
    const objects = join(env.SLIPWAY_DATA, "objects", "objects")
    const [bundle = ""] = readdirSync(objects, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("bundle,object")
    )
    const stored = readFileSync(join(objects, bundle), "latin1")
    writeFileSync(join(objects, bundle), stored.replace("console", "konsole"), "latin1")
    const file = join(temporaryFolder(), "backup.tar")
    const { code, stderr, stdout } = await slipway(["backup", file], { env })
    assert.strictEqual(code, 1)
    const [, ...others] = stdout.split("\n").filter((line) => !line.startsWith("left behind"))
    const key = bundle.slice(0, -",object".length)
    assert.deepStrictEqual(others, [`damaged: ${key} isn't what was uploaded; the backup has it as it is`, ""])
    assert.match(stderr, /^slipway: The backup is complete, but objects were damaged before it: 1, named above\. .*\n$/)
    assert.include(readFileSync(file, "latin1"), "konsole.log")
    const restored = await slipway(["restore", file, "--data", join(temporaryFolder(), "data")], { env: secret })
    assert.strictEqual(restored.code, 1)
    assert.include(restored.stdout, `damaged: ${key} wasn't what was uploaded when it was backed up`)
    assert.include(restored.stderr, "Everything is restored, but objects were damaged before the backup: 1")

    const doctor = () => slipway(["doctor", "--deep"], { env })
    assert.include((await doctor()).stdout, "copy NEW/objects/objects/KEY,object from there to the same place here")
    assert.strictEqual((await slipway(["restore", earlier, "--data", elsewhere], { env: secret })).code, 0)
    copyFileSync(join(elsewhere, "objects/objects", bundle), join(objects, bundle))
    assert.include((await doctor()).stdout, "✓ contents: ")
  })

  it("write to stdout for `-`, report a full disk in one line, and refuse a truncated or altered archive without changing anything", async () => {
    const { env, host } = await startUsed()
    const folder = temporaryFolder()
    const backup = (out: number | "pipe") =>
      main().then((path) =>
        spawn(process.execPath, [path, "backup", "-"], {
          env: { ...process.env, ...env },
          stdio: ["ignore", out, "pipe"]
        })
      )
    const full = await backup(openSync("/dev/full", "w"))
    assert.match(
      await text(full.stderr ?? assert.fail()),
      /^slipway: The backup - can't be written: its disk is full; make room.*\n$/
    )
    const piped = await backup("pipe")
    const chunks: Array<Buffer> = []
    piped.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
    await once(piped, "close")
    assert.strictEqual(piped.exitCode, 0)
    const whole = Buffer.concat(chunks)
    await host.stop("SIGTERM")

    const refused = async (bytes: Uint8Array, why: RegExp) => {
      const [file, data] = [join(folder, "damaged.tar"), join(folder, "data")]
      writeFileSync(file, bytes)
      const { code, stderr } = await slipway(["restore", file], { env: { ...secret, SLIPWAY_DATA: data } })
      assert.strictEqual(code, 1)
      assert.match(stderr, why)
      assert.deepStrictEqual(
        everythingIn(data).filter((name) => /objects\/.*hosted/.test(String(name))),
        []
      )
      assert.deepStrictEqual(await runJson({ SLIPWAY_DATA: data }, "account", "list"), [])
    }
    const at = whole.indexOf("console.log") + 3
    const altered = Buffer.from(whole)
    altered[at] = 0x21
    await refused(
      altered,
      /^slipway: The backup .* can't be restored: objects\/hosted\/\S+ was altered\. Nothing was changed\.\n$/
    )
    for (const end of [100, 2000, whole.length / 2, whole.length - 3000]) {
      await refused(whole.subarray(0, end), /^slipway: The backup .* can't be restored: .*Nothing was changed\.\n$/)
    }
    await refused(Buffer.from("something else"), /can't be restored: /)

    const file = join(folder, "whole.tar")
    writeFileSync(file, whole)
    const again = await slipway(["restore", file], { env })
    assert.strictEqual(again.code, 1)
    assert.match(again.stderr, /^slipway: The deployment on .* is not empty, so nothing was changed\. .*\n$/)
    const over = await slipway(["backup", file], { env })
    assert.match(over.stderr, /^slipway: There is a file .*whole\.tar already; name another, or remove it\.\n$/)
    assert.isTrue(readFileSync(file).equals(whole))
    const nowhere = await slipway(["backup", join(folder, "nowhere", "b.tar")], { env })
    assert.match(
      nowhere.stderr,
      /^slipway: The backup \S+ can't be written: its folder isn't there; make it, or write it elsewhere\..*\n$/
    )
    const none = await slipway(["backup", join(folder, "none.tar")])
    assert.match(none.stderr, /^slipway: SLIPWAY_DATA: there is no database .*metadata\.sqlite; name the database/)
  })
})

// Copies a deployment to PostgreSQL and S3, and checks that everything is hosted as before.

const Copied = Schema.fromJsonString(
  Schema.Struct({
    same: Schema.Boolean,
    copied: Schema.Int,
    from: Schema.Array(Schema.Tuple([Schema.String, Schema.Int])),
    leftBehind: Schema.Array(Schema.String)
  })
)

describe.skipIf(!hasS3)("slipway copy, from embedded engines to PostgreSQL and S3", () => {
  it("continues after it was killed, copies everything, and every URL, key and link works on the copy", async () => {
    const { assertWhole, env, host, port } = await startUsed(100)
    const server = await s3Server()
    const bucket = bucketSettings(server)
    const target = {
      databaseUrl: await databaseUrl(),
      s3Bucket: bucket["SLIPWAY_S3_BUCKET"],
      s3Endpoint: bucket["SLIPWAY_S3_ENDPOINT"],
      s3Region: bucket["SLIPWAY_S3_REGION"],
      s3Prefix: bucket["SLIPWAY_S3_PREFIX"]
    }
    const config = join(temporaryFolder(), "target.json")
    writeFileSync(config, JSON.stringify(target))
    const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = bucket
    const credentials = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    const client = new S3Client({ ...server, credentials: { accessKeyId, secretAccessKey } })
    const arrived = async () =>
      (await client.send(new ListObjectsV2Command({ Bucket: server.bucket, Prefix: target.s3Prefix }))).KeyCount ?? 0

    for (const enough of [30, 120]) {
      const child = spawn(process.execPath, [await main(), "copy", "--to", config], {
        env: { ...process.env, ...env, ...credentials },
        stdio: "ignore"
      })
      const ended = once(child, "exit")
      while ((await arrived()) < enough) assert.isNull(child.exitCode, "it has ended before it could be killed")
      child.kill("SIGKILL")
      await ended
    }
    assert.deepStrictEqual(await runJson({ ...secret, DATABASE_URL: target.databaseUrl }, "account", "list"), [])

    const { code, stderr, stdout } = await slipwayProcess(["copy", "--to", config, "--json"], {
      env: { ...env, ...credentials }
    })
    assert.strictEqual(code, 0, stderr)
    const made = Schema.decodeSync(Copied)(stdout)
    assert.isTrue(made.same)
    const objects = new Map(made.from).get("objects") ?? 0
    assert.isAbove(objects, 300)
    assert.isAbove(made.copied, 0)
    assert.isAtMost(made.copied, objects - 100)
    assert.strictEqual(made.leftBehind.length, 1)

    const again = await slipwayProcess(["copy", "--to", config], { env: { ...env, ...credentials } })
    assert.strictEqual(again.code, 1)
    assert.match(
      again.stderr,
      /^slipway: The deployment that .*target\.json names is not empty, so nothing was changed\./
    )

    await host.stop("SIGTERM")
    const settings = { ...secret, ...bucket, DATABASE_URL: target.databaseUrl }
    await serve(["--port", port], { env: settings })
    await assertWhole()
    client.destroy()
  })
})
