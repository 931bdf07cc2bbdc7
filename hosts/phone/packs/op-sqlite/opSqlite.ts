import { unavailable } from "../../modules/absent.ts"
import { constants } from "../../modules/answers.ts"
import type { Host } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { folders } from "../../runtime/files.ts"

/** A database that is opened, as many apps do while they are loaded, and throws when it is used. */
const databaseIn = ({ notes }: Host): object => {
  const fail = (method: string) => () => {
    notes.missing("method", `OPSQLite.${method}`)
    throw unavailable(`OPSQLite.${method}`)
  }
  const idle = new Set(["close", "interrupt", "updateHook", "commitHook", "rollbackHook"])
  return new Proxy(
    {},
    {
      get: (_, name) =>
        typeof name !== "string" || name === "then" ? undefined : idle.has(name) ? () => {} : fail(name)
    }
  )
}

/** @op-engineering/op-sqlite: its databases can be opened, and each query fails. */
export const opSqlite: Pack = {
  partial: (host) => ({
    OPSQLite: {
      ...constants({ IOS_DOCUMENT_PATH: folders.documents, IOS_LIBRARY_PATH: folders.library }),
      install: () => {
        const open = () => databaseIn(host)
        const no = () => false
        host.app["__OPSQLiteProxy"] = {
          open,
          openSync: open,
          openRemote: open,
          isSQLCipher: no,
          isLibsql: no,
          isTurso: no,
          isIOSEmbedded: no
        }
        return true
      }
    }
  })
}
