/** The address of the socket in a data folder by which the command line reaches a running host. */
import { Data, Effect } from "effect"
import { connect } from "node:net"
import { join } from "node:path"
import { dataFolder } from "../settings/dataFolder.ts"

// A Unix socket's path may have 103 bytes on macOS and 107 on Linux. The smaller limit holds everywhere.
const longestPath = 103

/** The path of the data folder is too long for a socket in it. */
export class DataFolderPathTooLong extends Data.TaggedError("DataFolderPathTooLong")<{ readonly path: string }> {
  override get message() {
    return `The path of the data folder is too long: its socket ${this.path} may have ${longestPath} bytes at most.`
  }
}

/** Where the socket of a data folder lies. */
export const socketPath = (folder: string): Effect.Effect<string, DataFolderPathTooLong> => {
  const path = join(dataFolder(folder).root, "admin.sock")
  return Buffer.byteLength(path) > longestPath ? Effect.fail(new DataFolderPathTooLong({ path })) : Effect.succeed(path)
}

/** Whether a host listens on the socket of a data folder. */
export const isListening = (folder: string): Effect.Effect<boolean, DataFolderPathTooLong> =>
  Effect.flatMap(socketPath(folder), (path) =>
    Effect.callback<boolean>((resume) => {
      const socket = connect(path)
      const answer = (listening: boolean) => {
        socket.destroy()
        resume(Effect.succeed(listening))
      }
      socket.once("connect", () => answer(true)).once("error", () => answer(false))
    })
  )
