/** Runs in the document of an app with databases: SQLite, which `inFrame.ts` loads. */
import { provideSqlite } from "../runtime/startSqlite.ts"

provideSqlite()
