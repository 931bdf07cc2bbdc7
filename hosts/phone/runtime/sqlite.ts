/** The part of sql.js that packs use: SQLite, compiled to WebAssembly. */
export interface Sqlite {
  readonly Database: new (bytes?: Uint8Array) => SqliteDatabase
}

export interface SqliteDatabase {
  readonly exec: (source: string) => ReadonlyArray<{ readonly values: ReadonlyArray<ReadonlyArray<unknown>> }>
  readonly prepare: (source: string) => SqliteStatement
  readonly getRowsModified: () => number
  readonly export: () => Uint8Array
  readonly updateHook: (
    changed: ((action: string, database: string, table: string, row: number) => void) | null
  ) => unknown
}

export interface SqliteStatement {
  readonly bind: (values: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>) => boolean
  readonly step: () => boolean
  readonly get: () => ReadonlyArray<unknown>
  readonly getColumnNames: () => ReadonlyArray<string>
  readonly free: () => boolean
}
