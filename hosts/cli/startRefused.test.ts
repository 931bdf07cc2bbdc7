/** A host refuses to start on engines that can't be used, and names the setting. */
import { assert, describe, it } from "vitest"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasS3, s3Server } from "../../adapters/s3/testing/server.ts"
import { bucketSettings, databaseUrl, runSql, secret } from "./testing/deployment.ts"
import { slipway, slipwayJson, slipwayWith, temporaryFolder } from "./testing/slipway.ts"

/** The one line with which a host refuses to start. */
const refusal = async (env: Record<string, string>, expected = 1): Promise<string> => {
  const { code, stderr, stdout } = await slipwayWith(["serve", "--port", "0"], env)
  assert.deepStrictEqual({ code, stdout }, { code: expected, stdout: "" })
  assert.match(stderr, /^slipway: [^\n]+\n$/)
  return stderr.slice("slipway: ".length, -1)
}

describe("slipway serve on a PostgreSQL that can't be used", () => {
  it("names DATABASE_URL, the problem and its fix, but no password", async () => {
    const url = new URL(await databaseUrl())
    const change = (part: "password" | "pathname" | "port", value: string) =>
      Object.assign(new URL(url), { [part]: value }).href
    for (const [DATABASE_URL, said] of [
      [change("password", "an-other-word"), `${url.host} refuses the password of the user slipway; correct`],
      [change("pathname", "/nowhere"), `${url.host} has no database nowhere; make it`],
      [change("port", "1"), "127.0.0.1:1 can't be reached: nothing listens there (ECONNREFUSED); check that it runs"]
    ] as const) {
      const line = await refusal({ ...secret, DATABASE_URL })
      assert.strictEqual(line.slice(0, 14 + said.length), `DATABASE_URL: ${said}`)
      assert.notInclude(line, new URL(DATABASE_URL).password)
    }
  })

  it("says that the tables can't be created, or belong to another program", async () => {
    const DATABASE_URL = await databaseUrl()
    await runSql(DATABASE_URL, "CREATE TABLE accounts (id text)")
    assert.include(await refusal({ ...secret, DATABASE_URL }), "can't be brought to this version's schema")
    const url = new URL(await databaseUrl())
    const name = `nobody_${crypto.randomUUID().slice(0, 8)}`
    await runSql(url.href, `CREATE ROLE ${name} LOGIN PASSWORD 'nothing'`)
    const line = await refusal({
      ...secret,
      DATABASE_URL: Object.assign(url, { username: name, password: "nothing" }).href
    })
    await runSql(DATABASE_URL, `DROP ROLE ${name}`)
    assert.include(line, `DATABASE_URL: the user ${name} may not do this`)
    assert.include(line, "GRANT USAGE, CREATE ON SCHEMA public")
  })

  it("makes no table with a command that only administers, and names what does", async () => {
    const env = { ...secret, DATABASE_URL: await databaseUrl() }
    for (const command of [
      ["account", "list"],
      ["gc", "--dry-run"]
    ]) {
      const { code, stderr } = await slipway(command, { env })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^slipway: DATABASE_URL: the database has no tables of Slipway yet; [^\n]+\n$/)
    }
    assert.include((await slipway(["doctor"], { env })).stdout, "no tables yet")
    await slipwayJson(["account", "create", "acme"], { env })
    assert.nestedPropertyVal(await slipwayJson(["account", "list"], { env }), "[0].name", "acme")
  })

  it("requires a secret, because other hosts would not know a generated one", async () => {
    const line = await refusal({ DATABASE_URL: await databaseUrl() }, 2)
    assert.include(line, "SLIPWAY_SECRET (--secret) is needed with DATABASE_URL, the same on every host")
  })
})

describe.skipIf(!hasS3)("slipway serve on a bucket that can't be used", () => {
  it("names SLIPWAY_S3_BUCKET, the problem and its fix", async () => {
    const env = bucketSettings(await s3Server())
    for (const [settings, said] of [
      [{ SLIPWAY_S3_BUCKET: "missing" }, "there is no bucket missing; make it"],
      [{ AWS_SECRET_ACCESS_KEY: "wrong" }, "the secret access key doesn't belong to the access key id; correct"],
      [{ SLIPWAY_S3_ENDPOINT: "http://127.0.0.1:1" }, "http://127.0.0.1:1 can't be reached: nothing listens there"]
    ] as const) {
      const line = await refusal({ ...env, ...settings })
      assert.strictEqual(line.slice(0, 19 + said.length), `SLIPWAY_S3_BUCKET: ${said}`)
    }
  })

  it("refuses to give clients URLs of a store that obeys headers which they weren't signed for, and says what to do", async () => {
    const { SLIPWAY_S3_UPLOADS: _, ...direct } = bucketSettings(await s3Server())
    for (const settings of [direct, { ...direct, SLIPWAY_S3_UPLOADS: "direct" }]) {
      const line = await refusal(settings)
      assert.include(line, "SLIPWAY_S3_UPLOADS: the S3 server obeys headers")
      for (const said of [
        "x-amz-copy-source",
        "x-amz-acl",
        "SLIPWAY_S3_UPLOADS=host",
        "s3.caddy",
        "rgw_sigv4_insecure"
      ]) {
        assert.include(line, said)
      }
    }
  })
})

describe("slipway serve on a SQLite file that can't be used", () => {
  it.skipIf(!existsSync("/proc/self"))("is refused in a folder that can't be made, at once", async () => {
    assert.match(await refusal({ SLIPWAY_DATA: "/proc/slipway" }), /^The secret \/proc\/slipway\/secret can't be/)
    assert.include(await refusal({ ...secret, SLIPWAY_DATA: "/proc/slipway" }), "/proc/slipway")
  })

  it("is made by no command but those that begin a deployment", async () => {
    const data = join(temporaryFolder(), "mistyped")
    for (const command of [["gc"], ["account", "list"], ["audit"]]) {
      const { code, stderr } = await slipway(command, { env: { SLIPWAY_DATA: data } })
      assert.deepStrictEqual(
        { code, stderr },
        {
          code: 1,
          stderr: `slipway: SLIPWAY_DATA: there is no database ${join(data, "metadata.sqlite")}; name the database of an existing deployment.\n`
        }
      )
    }
    assert.isFalse(existsSync(data))
  })

  it("names a damaged file and says what to do", async () => {
    const file = join(temporaryFolder(), "slipway.sqlite")
    writeFileSync(file, "something else\n".repeat(1000))
    assert.strictEqual(
      await refusal({ DATABASE_URL: `sqlite:${file}` }),
      `The database ${file} can't be used: it is damaged (file is not a database); restore it from a backup.`
    )
  })

  it("accepts a file of any name, as a path or a URL, for administration commands too", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "any name.db")
    await slipwayJson(["account", "create", "acme"], { env: { DATABASE_URL: `sqlite:${file}` } })
    const listed = await slipwayJson(["account", "list"], { env: { DATABASE_URL: `sqlite://${file}` } })
    assert.nestedPropertyVal(listed, "[0].name", "acme")
    assert.isTrue(existsSync(file))
    assert.include(
      await refusal({ DATABASE_URL: `sqlite:${file}`, SLIPWAY_DATABASE_CONNECTIONS: "4" }, 2),
      "SLIPWAY_DATABASE_CONNECTIONS (--database-connections) needs DATABASE_URL"
    )
    for (const url of ["sqlite:", "sqlite://host/file", "sqlite::memory:", "sqlite:/file?mode=ro"]) {
      assert.include(await refusal({ DATABASE_URL: url }, 2), "DATABASE_URL (--database-url) must be a URL such as")
    }
  })
})

describe("a command that is written wrongly", () => {
  it.each([
    [["serve", "--prot", "1"], "--prot", "slipway serve"],
    [["account", "create"], "name", "slipway account create"],
    [["acount"], "acount", "slipway"]
  ])("is refused in a line that names the mistake, with a hint: %j", async (args, named, path) => {
    const { code, stderr, stdout } = await slipway(args)
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    const [error = "", hint, end, ...rest] = stderr.split("\n")
    assert.match(error, /^slipway: /)
    assert.include(error, named)
    assert.strictEqual(hint, `Run ${path} --help for the flags and arguments.`)
    assert.deepStrictEqual([end, ...rest], [""])
  })
})
