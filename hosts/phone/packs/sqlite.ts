/** SQLite of libraries other than expo-sqlite. Databases last as long as the page, by their names. */
import { unavailable } from "../modules/absent.ts"
import { constants, type Host, type Module, type Pack, resolving } from "../modules/Host.ts"
import { type AppFunction, type Fields, fieldsIn, functionIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import type { SqliteDatabase } from "../runtime/optionalScripts.ts"
import { folders } from "../runtime/storage.ts"

/** Whether a bundle names a module that needs SQLite. */
export const usesSqlite = (bundle: string): boolean =>
  /ExpoSQLite|OPSQLite|QuickSQLite|NitroSQLite|WMDatabaseBridge|NativeModules\.SQLite\b/.test(bundle)

interface Result {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  readonly changes: { readonly rowsAffected: number; readonly insertId: number | undefined }
}

const toSql = (value: unknown): unknown =>
  typeof value === "boolean" ? Number(value) : value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null)

const fromSql = (value: unknown): unknown => (value instanceof Uint8Array ? value.slice().buffer : value)

const objectsIn = ({ columns, rows }: Result): ReadonlyArray<Fields> =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))

/** The databases of a library. Without SQLite, each query fails. */
const makeDatabases = ({ notes, sqlite }: Host, library: string) => {
  const opened = new Map<string, SqliteDatabase>()
  const databaseOf = (name: string): SqliteDatabase => {
    if (sqlite === undefined) {
      notes.missing("method", library)
      throw unavailable(library)
    }
    const database = opened.get(name) ?? new sqlite.Database()
    opened.set(name, database)
    return database
  }
  const totalsOf = (database: SqliteDatabase): ReadonlyArray<unknown> =>
    database.exec("SELECT total_changes(), last_insert_rowid()")[0]?.values[0] ?? []

  /** Without values, all statements of the text run, and the rows are those of the last one. */
  const run = (name: string, source: unknown, values?: unknown): Result => {
    const database = databaseOf(name)
    const [before] = totalsOf(database)
    const bound = listIn(values).map(toSql)
    const read = (): Pick<Result, "columns" | "rows"> => {
      if (bound.length === 0) {
        const last = database.exec(String(source)).at(-1)
        return { columns: last?.columns ?? [], rows: last?.values ?? [] }
      }
      const statement = database.prepare(String(source))
      try {
        statement.bind(bound)
        const rows: Array<ReadonlyArray<unknown>> = []
        while (statement.step()) rows.push(statement.get())
        return { columns: statement.getColumnNames(), rows }
      } finally {
        statement.free()
      }
    }
    const { columns, rows } = read()
    const [after, insertId] = totalsOf(database)
    const rowsAffected = Number(after) - Number(before)
    return {
      columns,
      rows: rows.map((row) => row.map(fromSql)),
      changes: { rowsAffected, insertId: rowsAffected > 0 ? numberIn(insertId) : undefined }
    }
  }
  const atomically = <A>(name: string, work: () => A): A => {
    run(name, "BEGIN")
    try {
      const result = work()
      run(name, "COMMIT")
      return result
    } catch (error) {
      run(name, "ROLLBACK")
      throw error
    }
  }
  /** Commands are pairs or objects of a query and its values, or of lists of values. */
  const batch = (name: string, commands: unknown): Pick<Result["changes"], "rowsAffected"> => {
    let rowsAffected = 0
    for (const command of listIn(commands)) {
      const [source, values] = Array.isArray(command)
        ? listIn(command)
        : [fieldsIn(command)["query"], fieldsIn(command)["params"]]
      const isMany = Array.isArray(listIn(values)[0])
      for (const one of isMany ? listIn(values) : [values]) rowsAffected += run(name, source, one).changes.rowsAffected
    }
    return { rowsAffected }
  }
  return { atomically, batch, databaseOf, remove: (name: string) => void opened.delete(name), run }
}

/** Methods that throw, as those that need more than one file. */
const failing = ({ notes }: Host, library: string, names: string): Module =>
  Object.fromEntries(
    names.split(" ").map((name) => [
      name,
      () => {
        notes.missing("method", `${library}.${name}`)
        throw unavailable(`${library}.${name}`)
      }
    ])
  )

const nothing = (): void => {}

/** @op-engineering/op-sqlite */
const opSqlite: Pack = {
  partial: (host) => {
    const { atomically: _, batch, databaseOf, remove, run } = makeDatabases(host, "OPSQLite")
    const open = (options: unknown): Module => {
      const name = textIn(fieldsIn(options)["name"]) ?? ""
      const executeSync = (source: unknown, values?: unknown) => {
        const result = run(name, source, values)
        return { ...result.changes, rows: objectsIn(result), columnNames: result.columns }
      }
      const executeRawSync = (source: unknown, values?: unknown) => {
        const { changes, columns, rows } = run(name, source, values)
        return { ...changes, rawRows: rows, columnNames: columns }
      }
      const prepareStatement = (source: unknown): Module => {
        let bound: unknown
        const bindSync = (values: unknown): void => void (bound = values)
        const execute = () => executeSync(source, bound)
        return { bindSync, executeSync: execute, ...resolving({ bind: bindSync, execute }) }
      }
      return {
        ...failing(host, "OPSQLite", "attach detach loadFile loadExtension reactiveExecute sync setReservedBytes"),
        executeSync,
        executeRawSync,
        prepareStatement,
        ...resolving({
          execute: executeSync,
          executeWithHostObjects: executeSync,
          executeRaw: executeRawSync,
          executeBatch: (commands: unknown) => batch(name, commands),
          flushPendingReactiveQueries: null
        }),
        close: nothing,
        interrupt: nothing,
        commitHook: nothing,
        rollbackHook: nothing,
        delete: () => remove(name),
        getDbPath: () => `${folders.library}/${name}`,
        getReservedBytes: () => 0,
        updateHook: (callback: unknown) => {
          const called = functionIn(callback)
          databaseOf(name).updateHook(
            called === undefined
              ? null
              : (action, _database, table, rowId) =>
                  queueMicrotask(() => host.calls.call(called, { operation: action.toUpperCase(), table, rowId }))
          )
        }
      }
    }
    const no = () => false
    return {
      OPSQLite: {
        ...constants({ IOS_DOCUMENT_PATH: folders.documents, IOS_LIBRARY_PATH: folders.library }),
        install: () => {
          host.app["__OPSQLiteProxy"] = {
            ...failing(host, "OPSQLite", "openSync openRemote"),
            open,
            isSQLCipher: no,
            isLibsql: no,
            isTurso: no,
            isIOSEmbedded: no
          }
          return true
        }
      }
    }
  }
}

/** The methods that react-native-quick-sqlite and its successor with Nitro have in common. */
const namedDatabases = (host: Host, library: string, toRows: (rows: ReadonlyArray<Fields>) => Fields): Module => {
  const { atomically, batch, databaseOf, remove, run } = makeDatabases(host, library)
  const execute = (name: string, source: unknown, values: unknown) => {
    const result = run(name, source, values)
    return { ...result.changes, ...toRows(objectsIn(result)) }
  }
  const executeBatch = (name: string, commands: unknown) => atomically(name, () => batch(name, commands))
  return {
    ...failing(host, library, "attach detach loadFile loadFileAsync"),
    open: (name: string) => void databaseOf(name),
    close: nothing,
    delete: remove,
    drop: remove,
    execute,
    executeBatch,
    ...resolving({ executeAsync: execute, executeBatchAsync: executeBatch })
  }
}

/** react-native-quick-sqlite */
const quickSqlite: Pack = {
  partial: (host) => ({
    QuickSQLite: {
      install: () => {
        host.app["__QuickSQLiteProxy"] = namedDatabases(host, "QuickSQLite", (rows) => ({
          rows: { _array: rows, length: rows.length, item: (index: number) => rows[index] }
        }))
        return true
      }
    }
  })
}

const nitroModule: Record<string, unknown> = {}

/** react-native-nitro-sqlite */
const nitroSqlite: Pack = {
  hybrids: { NitroSQLite: nitroModule },
  install: (host) => {
    Object.assign(
      nitroModule,
      namedDatabases(host, "NitroSQLite", (results) => ({ results }))
    )
  }
}

/** react-native-sqlite-storage */
const sqliteStorage: Pack = {
  partial: (host) => {
    const { databaseOf, remove, run } = makeDatabases(host, "SQLite")
    const answer =
      (work: (options: Fields) => unknown) =>
      (options: unknown, done: AppFunction, failed: AppFunction): void => {
        // The library registers its callbacks after the call.
        queueMicrotask(() => {
          try {
            const result = work(fieldsIn(options))
            host.calls.call(done, result)
          } catch (error) {
            host.calls.call(failed, {
              message: error instanceof Error ? error.message : String(error)
            })
          }
        })
      }
    const nameIn = (options: Fields, key: string): string => textIn(options[key]) ?? ""
    return {
      SQLite: {
        open: answer((options) => {
          databaseOf(nameIn(options, "name"))
          return "Database opened"
        }),
        close: answer(() => "database removed"),
        delete: answer((options) => remove(nameIn(options, "path"))),
        echoStringValue: answer(({ value }) => value),
        attach: answer(() => {
          host.notes.missing("method", "SQLite.attach")
          throw unavailable("SQLite.attach")
        }),
        backgroundExecuteSqlBatch: answer(({ dbargs, executes }) =>
          listIn(executes).map((one) => {
            const { params, qid, sql } = fieldsIn(one)
            try {
              const result = run(nameIn(fieldsIn(dbargs), "dbname"), sql, params)
              return {
                qid,
                type: "success",
                result: { ...result.changes, rows: objectsIn(result) }
              }
            } catch (error) {
              return { qid, type: "error", result: { code: 5, message: String(error) } }
            }
          })
        )
      }
    }
  }
}

/** One connection of WatermelonDB, which remembers which records the app has. */
const watermelon = (host: Host) => {
  const databases = makeDatabases(host, "WMDatabaseBridge")
  return () => {
    const sent = new Set<unknown>()
    let name = ""
    const run = (source: unknown, values?: unknown) => databases.run(name, source, values)
    const keyOf = (table: unknown, id: unknown): string => `${String(table)}$${String(id)}`
    /** Records that the app has are sent as their ids. */
    const once = (table: unknown, rows: ReadonlyArray<Fields>): ReadonlyArray<unknown> =>
      rows.map((row) => {
        const key = keyOf(table, row["id"])
        if (sent.has(key)) return row["id"]
        sent.add(key)
        return row
      })
    const all = (source: unknown, values: unknown) => objectsIn(run(source, values))
    const setUp = (source: unknown, version: unknown): void =>
      databases.atomically(name, () => {
        run(source)
        run(`PRAGMA user_version = ${Number(version)}`)
      })
    const reset = (schema: unknown, version: unknown): void => {
      databases.remove(name)
      sent.clear()
      setUp(schema, version)
    }
    const batch = (operations: unknown): void =>
      databases.atomically(name, () => {
        for (const operation of listIn(operations)) {
          const [cached, table, source, sets] = listIn(operation)
          for (const values of listIn(sets)) {
            run(source, values)
            const key = keyOf(table, listIn(values)[0])
            if (cached === 1) sent.add(key)
            if (cached === -1) sent.delete(key)
          }
        }
      })
    return {
      initialize: (named: unknown, version: unknown) => {
        name = String(named)
        const databaseVersion = numberIn(run("PRAGMA user_version").rows[0]?.[0]) ?? 0
        if (databaseVersion === version) return { code: "ok" }
        const isOlder = databaseVersion > 0 && databaseVersion < Number(version)
        return isOlder ? { code: "migrations_needed", databaseVersion } : { code: "schema_needed" }
      },
      setUpWithSchema: (_name: unknown, schema: unknown, version: unknown) => {
        reset(schema, version)
        return true
      },
      setUpWithMigrations: (_name: unknown, migrations: unknown, _from: unknown, to: unknown) => {
        setUp(migrations, to)
        return true
      },
      find: (table: unknown, id: unknown) =>
        sent.has(keyOf(table, id))
          ? id
          : (once(table, all(`SELECT * FROM '${String(table)}' WHERE id = ?`, [id]))[0] ?? null),
      query: (table: unknown, source: unknown, values: unknown) => once(table, all(source, values)),
      queryAsArray: (table: unknown, source: unknown, values: unknown) => {
        const result = run(source, values)
        const rows = once(table, objectsIn(result))
        return rows.length === 0
          ? []
          : [result.columns, ...rows.map((row) => (typeof row === "object" ? Object.values(fieldsIn(row)) : row))]
      },
      queryIds: (source: unknown, values: unknown) => all(source, values).map(({ id }) => String(id)),
      unsafeQueryRaw: all,
      count: (source: unknown, values: unknown) => all(source, values)[0]?.["count"] ?? 0,
      batch,
      batchJSON: (operations: unknown) => batch(JSON.parse(String(operations))),
      unsafeResetDatabase: reset,
      getLocal: (key: unknown) => all("SELECT value FROM local_storage WHERE key = ?", [key])[0]?.["value"] ?? null
    }
  }
}

/** @nozbe/watermelondb, with and without JSI. */
const watermelonDb: Pack = {
  optional: () => new Set(["WMDatabaseJSIBridge"]),
  partial: (host) => {
    const connect = watermelon(host)
    const connections = new Map<unknown, ReturnType<typeof connect>>()
    /** The connections whose tables are still to be made: what else the app calls waits for that. */
    const waiting = new Map<unknown, PromiseWithResolvers<void>>()
    const call = (tag: unknown, method: string, values: ReadonlyArray<unknown>): unknown => {
      const connection = connections.get(tag) ?? connect()
      connections.set(tag, connection)
      return functionIn(Reflect.get(connection, method))?.(...values)
    }
    const methods = Object.keys(connect()).map((method) => [
      method,
      async (tag: unknown, ...values: ReadonlyArray<unknown>) => {
        if (method.startsWith("setUp")) {
          const result = call(tag, method, values)
          waiting.get(tag)?.resolve()
          return result
        }
        if (method !== "initialize") await waiting.get(tag)?.promise
        const result = call(tag, method, values)
        if (method === "initialize" && fieldsIn(result)["code"] !== "ok")
          waiting.set(tag, Promise.withResolvers<void>())
        return result
      }
    ])
    return {
      WMDatabaseBridge: {
        ...Object.fromEntries(methods),
        initializeJSI: () => {
          host.app["nativeWatermelonCreateAdapter"] = connect
          return true
        }
      }
    }
  }
}

export const sqlite: ReadonlyArray<Pack> = [opSqlite, quickSqlite, nitroSqlite, sqliteStorage, watermelonDb]
