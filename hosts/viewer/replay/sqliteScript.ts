/** SQLite for an app in a replay: `phoneScript.ts` loads it. */
import { provideSqlite } from "../../phone/runtime/provideSqlite.ts"

provideSqlite()
