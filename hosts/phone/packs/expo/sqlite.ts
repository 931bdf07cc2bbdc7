import type { Host } from "../../modules/Host.ts"
import { unavailable } from "../../modules/absent.ts"
import { fieldsIn, textIn, type Fields } from "../../runtime/decode.ts"
import { folders } from "../../runtime/files.ts"
import type { Sqlite, SqliteDatabase, SqliteStatement } from "../../runtime/sqlite.ts"
import type { makeClasses } from "./sharedObjects.ts"

const actions: Readonly<Record<string, number>> = { delete: 9, insert: 18, update: 23 }

/** Each synchronous method of a class has one that is asynchronous. */
const addAsync = (prototype: object): void => {
  for (const name of Object.getOwnPropertyNames(prototype).filter((one) => one.endsWith("Sync"))) {
    const method: unknown = Reflect.get(prototype, name)
    if (typeof method !== "function") continue
    Reflect.set(prototype, name.replace(/Sync$/, "Async"), async function (this: unknown, ...values: Array<unknown>) {
      return Reflect.apply(method, this, values)
    })
  }
}

const boundTo = (values: unknown, blobs: unknown, isList: unknown): ReadonlyArray<unknown> | Fields => {
  const all = Object.fromEntries(
    Object.entries({ ...fieldsIn(values), ...fieldsIn(blobs) }).map(([name, value]) => [name, value ?? null])
  )
  if (isList !== true) return all
  const list: Array<unknown> = []
  for (const [index, value] of Object.entries(all)) list[Number(index)] = value
  return list
}

/** expo-sqlite. Databases last as long as the page, by their paths. */
export const sqliteModule = (
  { calls }: Pick<Host, "calls">,
  sqlite: Sqlite,
  { NativeModule, SharedObject }: Pick<ReturnType<typeof makeClasses>, "NativeModule" | "SharedObject">
) => {
  const module = new NativeModule()
  const databases = new Map<string, SqliteDatabase>()

  const opened = (path: string, bytes: unknown): SqliteDatabase => {
    const known = databases.get(path)
    if (known !== undefined) return known
    const made = new sqlite.Database(bytes instanceof Uint8Array ? bytes : undefined)
    if (path !== ":memory:") databases.set(path, made)
    return made
  }

  class NativeDatabase extends SharedObject {
    readonly path: string
    readonly options: Fields
    readonly bytes: unknown
    used: SqliteDatabase | undefined

    constructor(path: unknown, options?: unknown, bytes?: unknown) {
      super()
      this.path = textIn(path) ?? ":memory:"
      this.options = fieldsIn(options)
      this.bytes = bytes
    }

    get database(): SqliteDatabase {
      if (this.used === undefined) throw new Error("Access to closed resource")
      return this.used
    }

    initSync(): void {
      this.used = opened(this.path, this.bytes)
      if (this.options["enableChangeListener"] !== true) return
      this.used.updateHook((action, databaseName, tableName, rowId) => {
        const change = { databaseName, databaseFilePath: this.path, tableName, rowId, typeId: actions[action] }
        // A phone tells it after the statement.
        queueMicrotask(() => calls.call(() => module.emit("onDatabaseChange", change)))
      })
    }

    isInTransactionSync(): boolean {
      try {
        this.database.exec("BEGIN")
      } catch {
        return true
      }
      this.database.exec("ROLLBACK")
      return false
    }

    execSync(source: string): void {
      this.database.exec(source)
    }

    serializeSync(): Uint8Array {
      return this.database.export()
    }

    prepareSync(statement: NativeStatement, source: string): NativeStatement {
      statement.prepared = this.database.prepare(source)
      return statement
    }

    closeSync(): void {
      this.used = undefined
    }

    createSessionSync(): never {
      throw unavailable("ExpoSQLite.NativeSession")
    }
  }

  class NativeStatement extends SharedObject {
    prepared: SqliteStatement | undefined
    bound: ReturnType<typeof boundTo> = []

    get statement(): SqliteStatement {
      if (this.prepared === undefined) throw new Error("Access to closed resource")
      return this.prepared
    }

    runSync({ database }: NativeDatabase, values: unknown, blobs: unknown, isList: unknown): Fields {
      this.bound = boundTo(values, blobs, isList)
      this.resetSync()
      const firstRowValues = this.statement.step() ? this.statement.get() : []
      const changes = database.getRowsModified()
      const lastInsertRowId = database.exec("SELECT last_insert_rowid()")[0]?.values[0]?.[0]
      return { lastInsertRowId, changes, firstRowValues }
    }

    stepSync(): ReadonlyArray<unknown> | null {
      return this.statement.step() ? this.statement.get() : null
    }

    getAllSync(): ReadonlyArray<unknown> {
      const rows: Array<unknown> = []
      while (this.statement.step()) rows.push(this.statement.get())
      return rows
    }

    resetSync(): void {
      // sql.js forgets the values when it resets a statement.
      this.statement.bind(this.bound)
    }

    getColumnNamesSync(): ReadonlyArray<string> {
      return this.statement.getColumnNames()
    }

    finalizeSync(): void {
      this.statement.free()
      this.prepared = undefined
    }
  }

  const files = {
    ensureDatabasePathExistsSync: () => {},
    deleteDatabaseSync: (path: string) => {
      if (!databases.delete(path)) throw new Error(`Database '${path}' not found`)
    }
  }
  addAsync(NativeDatabase.prototype)
  addAsync(NativeStatement.prototype)
  addAsync(files)
  return Object.assign(module, files, {
    NativeDatabase,
    NativeStatement,
    defaultDatabaseDirectory: `${folders.documents}/SQLite`,
    bundledExtensions: {}
  })
}
