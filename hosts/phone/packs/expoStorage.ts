/** The modules of Expo that store something: expo-file-system and expo-sqlite. */
import type { Host } from "../modules/Host.ts"
import { unavailable } from "../modules/absent.ts"
import { type Fields, fieldsIn, textIn } from "../runtime/decode.ts"
import type { Sqlite, SqliteDatabase, SqliteStatement } from "../runtime/optionalScripts.ts"
import { files, folders, nameIn, pathOf } from "../runtime/storage.ts"
import type { makeClasses } from "./expoCore.ts"

const uriOf = (path: string): string => `file://${encodeURI(path)}`
const folderUri = (path: string): string => `${uriOf(path)}/`

const bytesOf = (content: unknown, encoding?: unknown): Uint8Array<ArrayBuffer> => {
  if (content instanceof ArrayBuffer) return new Uint8Array(content)
  if (content instanceof Uint8Array) return new Uint8Array(content)
  const text = String(content)
  return encoding === "base64" ? Uint8Array.fromBase64(text) : new TextEncoder().encode(text)
}

const textOf = (bytes: Uint8Array<ArrayBuffer>): string => new TextDecoder().decode(bytes)

const roots = {
  documentDirectory: folderUri(folders.documents),
  cacheDirectory: folderUri(folders.caches),
  bundleDirectory: folderUri(folders.bundle),
  appleSharedContainers: {},
  totalDiskSpace: 64e9,
  availableDiskSpace: 16e9
}

/** The modules of expo-file-system, now and before 54. Files last as long as the page. */
export const fileModules = ({ SharedObject }: Pick<ReturnType<typeof makeClasses>, "SharedObject">) => {
  class Entry extends SharedObject {
    uri: string

    constructor(uri: string) {
      super()
      this.uri = uri
    }

    validatePath(): void {}

    get exists(): boolean {
      return files.exists(this.uri)
    }

    get size(): number {
      return this.exists ? files.stat(this.uri).size : 0
    }

    delete(): void {
      files.remove(this.uri)
    }

    copySync(to: unknown): void {
      const target = fieldsIn(to)
      const into =
        to instanceof FileSystemDirectory ? `${pathOf(to.uri)}/${nameIn(pathOf(this.uri))}` : String(target["uri"])
      files.copy(this.uri, into)
    }

    async copy(to: unknown): Promise<void> {
      this.copySync(to)
    }

    moveSync(to: unknown): void {
      this.copySync(to)
      files.remove(this.uri)
      const path =
        to instanceof FileSystemDirectory ? `${pathOf(to.uri)}/${nameIn(pathOf(this.uri))}` : fieldsIn(to)["uri"]
      this.uri = uriOf(pathOf(String(path)))
    }

    async move(to: unknown): Promise<void> {
      this.moveSync(to)
    }

    rename(name: string): void {
      const path = pathOf(this.uri)
      const next = path.slice(0, -nameIn(path).length) + name
      files.move(path, next)
      this.uri = uriOf(next)
    }
  }

  class FileSystemDirectory extends Entry {
    constructor(uri: string) {
      super(folderUri(pathOf(uri)))
    }

    create(): void {
      files.makeFolder(this.uri)
    }

    listAsRecords() {
      return files.list(this.uri).map((path) => {
        const isDirectory = files.stat(path).isFolder
        return { isDirectory, uri: isDirectory ? folderUri(path) : uriOf(path) }
      })
    }

    createFile(name: string): FileSystemFile {
      const file = new FileSystemFile(this.uri + encodeURI(name))
      file.create()
      return file
    }

    createDirectory(name: string): FileSystemDirectory {
      const folder = new FileSystemDirectory(this.uri + encodeURI(name))
      folder.create()
      return folder
    }

    info() {
      return { exists: this.exists, uri: this.uri, size: this.size }
    }
  }

  class FileSystemFile extends Entry {
    constructor(uri: string) {
      super(uriOf(pathOf(uri)))
    }

    create(): void {
      files.write(this.uri, new Uint8Array())
    }

    get type(): string {
      return ""
    }

    get md5(): null {
      return null
    }

    get modificationTime(): number | null {
      return this.exists ? files.stat(this.uri).changed : null
    }

    get creationTime(): number | null {
      return this.exists ? files.stat(this.uri).created : null
    }

    textSync(): string {
      return textOf(files.read(this.uri))
    }

    async text(): Promise<string> {
      return this.textSync()
    }

    base64Sync(): string {
      return files.read(this.uri).toBase64()
    }

    async base64(): Promise<string> {
      return this.base64Sync()
    }

    bytesSync(): Uint8Array<ArrayBuffer> {
      return files.read(this.uri).slice()
    }

    async bytes(): Promise<Uint8Array<ArrayBuffer>> {
      return this.bytesSync()
    }

    writeSync(content: unknown, options?: unknown): void {
      const { append, encoding } = fieldsIn(options)
      if (append === true) files.append(this.uri, bytesOf(content, encoding))
      else files.write(this.uri, bytesOf(content, encoding))
    }

    // It is written at once, because it was synchronous until 56.
    async write(content: unknown, options?: unknown): Promise<void> {
      this.writeSync(content, options)
    }

    info() {
      return { exists: this.exists, uri: this.uri, size: this.size, modificationTime: this.modificationTime }
    }
  }

  const infoOf = (uri: string) => {
    if (!files.exists(uri)) return { exists: false, isDirectory: false, uri }
    const { changed, isFolder, size } = files.stat(uri)
    return { exists: true, isDirectory: isFolder, uri, size, modificationTime: changed / 1000 }
  }

  return {
    FileSystem: { ...roots, FileSystemDirectory, FileSystemFile, info: infoOf },
    ExponentFileSystem: {
      ...roots,
      getInfoAsync: async (uri: string) => infoOf(uri),
      readAsStringAsync: async (uri: string, options: unknown) =>
        fieldsIn(options)["encoding"] === "base64" ? files.read(uri).toBase64() : textOf(files.read(uri)),
      writeAsStringAsync: async (uri: string, text: string, options: unknown) =>
        files.write(uri, bytesOf(text, fieldsIn(options)["encoding"])),
      deleteAsync: async (uri: string, options: unknown) => {
        if (fieldsIn(options)["idempotent"] !== true || files.exists(uri)) files.remove(uri)
      },
      moveAsync: async (options: unknown) =>
        files.move(textIn(fieldsIn(options)["from"]) ?? "", textIn(fieldsIn(options)["to"]) ?? ""),
      copyAsync: async (options: unknown) =>
        files.copy(textIn(fieldsIn(options)["from"]) ?? "", textIn(fieldsIn(options)["to"]) ?? ""),
      makeDirectoryAsync: async (uri: string) => files.makeFolder(uri),
      readDirectoryAsync: async (uri: string) => files.list(uri).map(nameIn),
      getFreeDiskStorageAsync: async () => roots.availableDiskSpace,
      getTotalDiskCapacityAsync: async () => roots.totalDiskSpace
    }
  }
}

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
