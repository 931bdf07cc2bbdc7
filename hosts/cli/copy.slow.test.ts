/** Copies a deployment to PostgreSQL and S3, and checks that everything is hosted as before. */
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasS3, s3Server } from "../../adapters/s3/testing/server.ts"
import { runJson } from "./testing/deployment.ts"
import { bucketSettings, databaseUrl, secret } from "./testing/stores.ts"
import { main, serve, slipwayProcess, temporaryFolder } from "./testing/slipway.ts"
import { startUsed } from "./testing/used.ts"

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
