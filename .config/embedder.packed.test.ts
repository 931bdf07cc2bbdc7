/** The packed package in a project of an embedder: the adapter kit with a store, and the tests of what a server needs. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { complaints } from "./testing/complaints.ts"
import { newProject, tarball } from "./testing/project.ts"

const root = join(import.meta.dirname, "..")
const read = (file: string): string => readFileSync(join(root, file), "utf8")
const documented = read("docs/adapters.md")
const { devDependencies } = JSON.parse(read("package.json"))
const project = newProject()
const write = (file: string, text: string): void => writeFileSync(join(project.folder, file), text)

beforeAll(async () => {
  const [, packages = ""] = /^npm i -D (.+)$/m.exec(documented) ?? []
  const { code, text } = await project.npm("install", await tarball(), ...packages.split(" "))
  assert.strictEqual(code, 0, text)
  write("table.ts", read("examples/storage-adapter/table.ts"))
})
afterAll(project.remove)

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly title: string
      readonly status: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

/** Runs vitest in the project. Answers the names of the cases that passed, and what the others failed with. */
const runTests = async (...args: ReadonlyArray<string>) => {
  const results = join(project.folder, "results.json")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`]
  const { text } = await project.npx("vitest", "run", ...args, ...reporters)
  const { testResults }: Report = JSON.parse(readFileSync(results, "utf8"))
  rmSync(results)
  const failed = new Map<string, string>()
  const passed: Array<string> = []
  for (const { assertionResults, message, name } of testResults) {
    if (assertionResults.length === 0) failed.set(name, message)
    for (const { failureMessages, status, title } of assertionResults) {
      if (status === "passed") passed.push(title)
      if (status === "failed") failed.set(title, failureMessages.join("\n"))
    }
  }
  return { failed, passed, text }
}

it("runs the kit on examples/storage-adapter, with only the packages and the command that docs/adapters.md names", async () => {
  write("table.test.ts", read("examples/storage-adapter/table.test.ts"))
  const [, options = ""] = /^npx vitest run(.*)$/m.exec(documented) ?? []
  const { failed, passed, text } = await runTests("table", ...options.trim().split(" "))
  assert.deepStrictEqual([...failed], [])
  assert.isAbove(passed.length, 150)
  assert.notInclude(text, "failed on purpose", "what cases log that pass is not printed")
  assert.deepStrictEqual(complaints(project.folder, "table.test.ts", { allowImportingTsExtensions: true }), [])
})

it("names the fault of a key-value store, and what the store rejected with", async () => {
  write(
    "faults.test.ts",
    `import { Effect } from "effect"
     import { keyValueSuite } from "slipway/adapters/kit"
     import { openTable } from "./table.ts"
     const suiteOf = (name, alter) =>
       keyValueSuite(name, Effect.sync(() => {
         const { transaction } = openTable(":memory:")
         return { store: { transaction: (use) => transaction((tx) => use({ ...tx, ...alter(tx) })) } }
       }))
     const used = openTable(":memory:")
     keyValueSuite("is used for all cases", Effect.sync(() => ({ store: used })))
     suiteOf("hides own writes", () => ({ get: async () => undefined }))
     const cut = (key) => key.slice(0, 255)
     suiteOf("cuts keys", (tx) => ({ get: (key) => tx.get(cut(key)), set: (key, value) => tx.set(cut(key), value) }))
     suiteOf("lists no first key", (tx) => ({ list: (range) => tx.list({ ...range, from: range.from + "\\0" }) }))
     suiteOf("refuses empty values", (tx) => ({
       set: async (key, value) => {
         if (value === "") throw new Error("empty values are refused")
         await tx.set(key, value)
       }
     }))`
  )
  const { failed } = await runTests("faults", "-t", "^KeyValueStore")
  for (const [name, words] of [
    ["shows a transaction its own writes, to get and to list", "get after set: expected undefined to equal '2'"],
    ["returns a key of 500 bytes unchanged", "list returns a key of 255 characters, not the stored key of 500"],
    ["lists a range from its first key to before its end, by code unit", "[ 'a2' ] to deeply equal [ 'a10', 'a2' ]"],
    ["returns an empty value unchanged", "Error: empty values are refused"],
    [
      "removes what an earlier transaction stored, and no key that begins with it",
      "`open` must return an empty store for each case"
    ]
  ] as const) {
    assert.include(failed.get(name), words)
  }
})

/** A program whose `administer` runs a command of a Slipway on a layer of metadata. */
const program = (text: string): string => `
  import { Layer, Redacted } from "effect"
  import * as keyValue from "slipway/adapters/key-value"
  import * as memory from "slipway/adapters/memory"
  import { Administration } from "slipway/core"
  import { makeSlipway } from "slipway/hosts/http"
  import { openTable } from "./table.ts"
  const administer = async (metadata, command) => {
    const url = "http://127.0.0.1:3000"
    const { ports, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
    const slipway = makeSlipway({ settings: { url }, ports: Layer.merge(ports, metadata), routes })
    const answer = await slipway.run(Administration.use(command))
    await slipway.dispose()
    return answer
  }
  ${text}`

it("fills an empty store from the backup that the README of the example shows", async () => {
  const [, shown = ""] =
    /```ts\n((?:(?!```)[^])*createWriteStream(?:(?!```)[^])*)```/.exec(read("examples/storage-adapter/README.md")) ?? []
  write(
    "backup.ts",
    program(`
      const [oldStore, newStore] = [openTable("old.db"), openTable("new.db")]
      await administer(layerMetadata(oldStore), (admin) => admin.createAccount({ name: "acme" }))
      ${shown}
      const accounts = await administer(layerMetadata(newStore), (admin) => admin.listAccounts())
      console.log(accounts.map(({ name }) => name).join())`)
  )
  assert.deepStrictEqual(await project.node('await import("./backup.ts")'), { code: 0, text: "acme\n" })
})

it("runs transactions again that conflict, and splits values that the engine refuses", async () => {
  write(
    "limits.ts",
    program(`
      const table = openTable(":memory:")
      let transactions = 0
      const set = (tx) => async (key, value) => {
        if (value.length > 1000) throw new Error("the value is too large for the engine")
        await tx.set(key, value)
      }
      const store = {
        transaction: (use) => {
          transactions += 1
          return transactions % 2 === 1
            ? Promise.reject(new keyValue.TransactionConflict())
            : table.transaction((tx) => use({ ...tx, set: set(tx) }))
        }
      }
      const metadata = keyValue.layerMetadata(store, { maxValueBytes: 1000 })
      const url = "https://hooks.example/" + "a".repeat(1000)
      await administer(metadata, (admin) => admin.addWebhook({ url, types: [] }))
      const webhooks = await administer(metadata, (admin) => admin.listWebhooks())
      console.log(webhooks.map(({ webhook }) => webhook.url === url))`)
  )
  assert.deepStrictEqual(await project.node('await import("./limits.ts")'), { code: 0, text: "[ true ]\n" })
})

it("ends a process whose server has a stalled PUT, after shutdownTimeout", async () => {
  const stalled = await project.node(`
    import { createServer, request } from "node:http"
    import { once } from "node:events"
    import { Redacted } from "effect"
    import { createRequestListener } from "@remix-run/node-fetch-server"
    import * as memory from "slipway/adapters/memory"
    import { Administration } from "slipway/core"
    import { createClient } from "slipway/client"
    import { makeSlipway } from "slipway/hosts/http"
    let slipway
    const server = createServer(createRequestListener((asked) => slipway.fetch(asked)))
    await once(server.listen(0, "127.0.0.1"), "listening")
    const url = "http://127.0.0.1:" + server.address().port
    const { ports, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
    slipway = makeSlipway({ settings: { url }, ports, routes, shutdownTimeout: "1 millis" })
    await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
    const grant = { account: "acme", name: "ci", scopes: ["preview_upload"] }
    const { key } = await slipway.run(Administration.use((admin) => admin.createKey(grant)))
    const declared = { contentHash: "a".repeat(64), bundleSizeBytes: 5, bundleContentType: "text/javascript" }
    const { slots } = await createClient({ url, key }).previews.reserve(declared)
    const headers = { "content-type": "text/javascript", "content-length": 5, expect: "100-continue" }
    const put = request(slots.bundle.putUrl, { method: "PUT", headers })
    put.on("error", () => {})
    put.flushHeaders()
    await once(put, "continue")
    put.write("a")
    await slipway.dispose()
    server.close()
    server.closeAllConnections()
    console.log("disposed")`)
  assert.deepStrictEqual(stalled, { code: 0, text: "disposed\n" })
})

it("says that there are two copies of effect, if an object of the other one is given", async () => {
  const { code, text } = await project.npm("install", `another-effect@npm:effect@${devDependencies.effect}`)
  assert.strictEqual(code, 0, text)
  const { text: said } = await project.node(`
    import * as own from "effect"
    import * as another from "another-effect"
    import * as memory from "slipway/adapters/memory"
    import { makeSlipway } from "slipway/hosts/http"
    const url = "http://127.0.0.1:3000"
    for (const [Layer, Redacted] of [[own.Layer, own.Redacted], [own.Layer, another.Redacted], [another.Layer, own.Redacted]]) {
      try {
        const { ports } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
        makeSlipway({ settings: { url }, ports, routes: Layer.empty })
        console.log("made")
      } catch (error) {
        console.log(error.message)
      }
    }`)
  const remedy = "of the copy of effect that Slipway uses. If npm ls effect lists several copies, install only the"
  const [whole, ...refused] = said.trim().split("\n")
  assert.strictEqual(whole, "made")
  assert.lengthOf(refused, 2)
  assert.include(refused[0], `The secret is not a Redacted ${remedy}`)
  assert.include(refused[1], `routes is no layer ${remedy}`)
})

it("passes the tests of the sources about a server that embeds it, and about the client", async () => {
  const files = [
    "hosts/http/givenInPorts",
    "hosts/http/hooks",
    "hosts/http/lifecycle",
    "hosts/client/options",
    "hosts/viewer/session/ownSessions"
  ]
  for (const file of files) {
    // The imports, which lead into the sources, are replaced by the entry points of the package.
    const packed = read(`${file}.test.ts`).replaceAll(/"(\.[^"]*\.ts)"/g, (_, path: string) => {
      const [, entry] = /^(core|hosts\/client|(?:adapters|hosts)\/[\w-]+)\//.exec(join(dirname(file), path)) ?? []
      return `"slipway/${entry === "hosts/client" ? "client" : entry}"`
    })
    assert.notInclude(packed, "slipway/undefined", file)
    write(`${basename(file)}.test.ts`, packed)
  }
  const { failed, passed } = await runTests(...files.map((file) => basename(file)))
  assert.deepStrictEqual([...failed], [])
  assert.isAtLeast(passed.length, 46)
})
