import { assert, describe, it } from "@effect/vitest"
import startSqlite from "sql.js"
import type { Host } from "../modules/Host.ts"
import { type AppGlobal, makeCalls } from "../runtime/calls.ts"
import { fieldsIn, functionIn, listIn } from "../runtime/decode.ts"
import { makeClasses, optionalOfExpo } from "./expoCore.ts"
import { sqliteModule } from "./expoStorage.ts"
import { sqlite } from "./sqlite.ts"
import { mmkv } from "./storage.ts"

describe("older versions of libraries", () => {
  it("MMKV 2 makes its store by a global function, without a native module", () => {
    const app: AppGlobal = {}
    mmkv.install({ app })
    const store = fieldsIn(functionIn(app["mmkvCreateNewInstance"])?.({ id: "tides" }))
    functionIn(store["set"])?.("high", "06:12")
    assert.strictEqual(functionIn(store["getString"])?.("high"), "06:12")
    assert.isUndefined(functionIn(store["getNumber"])?.("high"))
  })

  it("Expo before 55 finds no proxy of all modules, and uses the older one", () => {
    assert.isTrue(optionalOfExpo("").has("NativeModulesProxy"))
  })
})

const calls = makeCalls((error) => {
  throw error
})

const open = async (options: object = {}) => {
  const module = sqliteModule({ calls }, await startSqlite(), makeClasses(calls))
  const database = new module.NativeDatabase("/Documents/SQLite/log.db", options)
  database.initSync()
  database.execSync("CREATE TABLE quays (id INTEGER PRIMARY KEY, name TEXT, depth REAL, chart BLOB)")
  const prepare = (source: string) => database.prepareSync(new module.NativeStatement(), source)
  return { module, database, prepare }
}

describe("expo-sqlite", () => {
  it("runs statements with lists and names of values", async () => {
    const { database, prepare } = await open()
    const insert = prepare("INSERT INTO quays (name, depth, chart) VALUES (?, ?, ?)")
    assert.deepStrictEqual(insert.runSync(database, { 0: "north", 1: 2.5 }, { 2: new Uint8Array([7]) }, true), {
      lastInsertRowId: 1,
      changes: 1,
      firstRowValues: []
    })
    assert.strictEqual(insert.runSync(database, { 0: "south", 1: undefined, 2: null }, {}, true)["lastInsertRowId"], 2)
    const select = prepare("SELECT * FROM quays WHERE id >= $from ORDER BY id")
    assert.deepStrictEqual(select.getColumnNamesSync(), ["id", "name", "depth", "chart"])
    const first = select.runSync(database, { $from: 1 }, {}, false)["firstRowValues"]
    assert.deepStrictEqual(first, [1, "north", 2.5, new Uint8Array([7])])
    assert.deepStrictEqual(select.getAllSync(), [[2, "south", null, null]])
    select.resetSync()
    assert.deepStrictEqual(select.stepSync(), first)
    select.finalizeSync()
    assert.throws(() => select.stepSync(), /closed/)
  })

  it("rejects what SQLite refuses", async () => {
    const { database } = await open()
    const { execAsync } = database as unknown as { readonly execAsync: (source: string) => Promise<void> }
    const error: unknown = await execAsync.call(database, "SELECT * FROM piers").catch((thrown: unknown) => thrown)
    assert.match(String(error), /no such table: piers/)
  })

  it("keeps a database until it is deleted, and knows of a transaction", async () => {
    const { database, module } = await open()
    database.execSync("BEGIN; INSERT INTO quays (name) VALUES ('east')")
    assert.isTrue(database.isInTransactionSync())
    database.execSync("COMMIT")
    assert.isFalse(database.isInTransactionSync())
    database.closeSync()
    assert.throws(() => database.execSync("SELECT 1"), /closed/)
    const again = new module.NativeDatabase(database.path)
    again.initSync()
    again.execSync("INSERT INTO quays (name) VALUES ('west')")
    module.deleteDatabaseSync(database.path)
    assert.throws(() => module.deleteDatabaseSync(database.path), /not found/)
  })

  it("reports changes after the statement, where the app asks for them", async () => {
    const { database, module } = await open({ enableChangeListener: true })
    const changes: Array<unknown> = []
    module.addListener("onDatabaseChange", (change) => changes.push(change))
    database.execSync("INSERT INTO quays (name) VALUES ('north')")
    assert.deepStrictEqual(changes, [])
    await Promise.resolve()
    const change = { databaseName: "main", databaseFilePath: database.path, tableName: "quays", rowId: 1, typeId: 18 }
    assert.deepStrictEqual(changes, [change])
  })
})

/** The native modules and objects of the libraries with SQLite, as apps find them. */
const databases = async () => {
  const app: AppGlobal = {}
  const missing: Array<string> = []
  const notes = { missing: (_: string, name: string) => void missing.push(name) }
  const host = { app, bundle: "", calls, notes, sqlite: await startSqlite() } as unknown as Host
  const modules = Object.assign({}, ...sqlite.map(({ partial }) => partial?.(host) ?? {}))
  for (const { install } of sqlite) install?.(host)
  const call = (owner: unknown, method: string, ...values: ReadonlyArray<unknown>): unknown =>
    functionIn(fieldsIn(owner)[method])?.(...values)
  return { app, call, hybrids: Object.assign({}, ...sqlite.map((pack) => pack.hybrids ?? {})), missing, modules }
}

type Query = (source: string, values?: ReadonlyArray<unknown>) => Promise<unknown>
type Databases = Awaited<ReturnType<typeof databases>>

/** The rows of a query, by each library that has methods for queries. */
const libraries: Readonly<Record<string, (all: Databases) => Query>> = {
  "op-sqlite": ({ app, call, modules }) => {
    call(modules.OPSQLite, "install")
    const database = call(app["__OPSQLiteProxy"], "open", { name: "a" })
    return async (...query) => fieldsIn(await call(database, "execute", ...query))["rows"]
  },
  "quick-sqlite": ({ app, call, modules }) => {
    call(modules.QuickSQLite, "install")
    call(app["__QuickSQLiteProxy"], "open", "a")
    return async (...query) =>
      fieldsIn(fieldsIn(await call(app["__QuickSQLiteProxy"], "executeAsync", "a", ...query))["rows"])["_array"]
  },
  "nitro-sqlite": ({ call, hybrids }) => {
    return async (...query) => fieldsIn(await call(hybrids.NitroSQLite, "executeAsync", "a", ...query))["results"]
  },
  "sqlite-storage": ({ call, modules }) => {
    return (sql, params = []) =>
      new Promise((resolve, reject) => {
        const done = (results: unknown): void => {
          const { result, type } = fieldsIn(listIn(results)[0])
          if (type === "success") resolve(fieldsIn(result)["rows"])
          else reject(new Error(String(fieldsIn(result)["message"])))
        }
        const batch = { dbargs: { dbname: "a" }, executes: [{ qid: 1, sql, params }] }
        call(modules.SQLite, "backgroundExecuteSqlBatch", batch, done, reject)
      })
  }
}

describe("SQLite of other libraries", () => {
  for (const [name, connect] of Object.entries(libraries)) {
    it(`${name} stores rows and rejects what SQLite refuses`, async () => {
      const query = connect(await databases())
      await query("CREATE TABLE quays (name TEXT, isDeep)")
      await query("INSERT INTO quays VALUES (?, ?), (?, ?)", ["north", true, "south", null])
      const rows = [{ name: "north", isDeep: 1 }]
      assert.deepStrictEqual(await query("SELECT * FROM quays WHERE isDeep = ?", [true]), rows)
      const error: unknown = await query("SELECT * FROM piers").catch((thrown: unknown) => thrown)
      assert.match(String(error), /no such table: piers/)
    })
  }

  it("WatermelonDB sets up its schema, and sends a record once", async () => {
    const { app, call, modules } = await databases()
    call(modules.WMDatabaseBridge, "initializeJSI")
    const adapter = functionIn(app["nativeWatermelonCreateAdapter"])?.("a")
    assert.deepStrictEqual(call(adapter, "initialize", "a", 2), { code: "schema_needed" })
    call(adapter, "setUpWithSchema", "a", "CREATE TABLE quays (id, name); CREATE TABLE local_storage (key, value);", 2)
    const insert = [0, "quays", "INSERT INTO quays VALUES (?, ?)", [["n", "north"]]]
    call(adapter, "batchJSON", JSON.stringify([insert]))
    const find = () => call(adapter, "queryAsArray", "quays", "SELECT * FROM quays", [])
    assert.deepStrictEqual(find(), [
      ["id", "name"],
      ["n", "north"]
    ])
    assert.deepStrictEqual(find(), [["id", "name"], "n"])
    assert.strictEqual(call(adapter, "count", "SELECT COUNT(*) AS count FROM quays", []), 1)
    assert.deepStrictEqual(call(functionIn(app["nativeWatermelonCreateAdapter"])?.("a"), "initialize", "a", 3), {
      code: "migrations_needed",
      databaseVersion: 2
    })
  })
})
