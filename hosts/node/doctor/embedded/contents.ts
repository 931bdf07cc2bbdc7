import { Effect } from "effect"
import { existsSync } from "node:fs"
import * as filesystem from "../../../../adapters/filesystem/index.ts"
import * as nativeDigests from "../../../http/nativeDigests.ts"
import { dataFolder } from "../../settings/dataFolder.ts"
import { fine, orWrong, wrong, type Finding } from "../parts/Finding.ts"

const name = "contents"

/** The keys that a line lists, shortened. */
const named = 5

const findingOf = ({ bytes, changed, objects, undigested }: filesystem.Verified): Finding => {
  const others = changed.length > named ? ` and ${changed.length - named} more` : ""
  if (changed.length > 0) {
    return wrong(name, {
      detail: `${changed.length} of ${objects} objects changed since they were uploaded: ${changed.slice(0, named).join(", ")}${others}`,
      hint: 'restore an earlier backup into a new folder ("slipway restore FILE --data NEW") and copy NEW/objects/objects/KEY,object from there to the same place here; or delete those files and upload again what has them; and check the disk'
    })
  }
  return undigested > 0
    ? wrong(name, {
        detail: `${undigested} of ${objects} objects have no digest, neither in the metadata nor in their file, so nobody can tell whether they changed`,
        hint: 'copy the deployment into another folder with "slipway copy", which takes their digests as they are now; upload again what has none even then'
      })
    : fine(name, `${objects} objects (${bytes} bytes) were read and are as they were uploaded`)
}

/** Reads every object of a data folder and compares it with its upload, or else with the digest in its file. */
export const checkContents = (data: string, uploaded: filesystem.Uploaded): Effect.Effect<Finding> => {
  const directory = dataFolder(data).objects
  if (!existsSync(directory)) return Effect.succeed(fine(name, "no objects yet"))
  return filesystem.verify(directory, uploaded).pipe(
    Effect.map(findingOf),
    Effect.provide(nativeDigests.layer),
    orWrong(name, (error) => ({ detail: error.message.replace(/\.$/, ""), hint: "check the folder and its disk" }))
  )
}
