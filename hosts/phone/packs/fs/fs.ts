import { constants, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { files, folders, nameIn } from "../../runtime/files.ts"

const [regular, directory] = ["NSFileTypeRegular", "NSFileTypeDirectory"]

const factsOf = (path: string) => {
  const { changed, created, isFolder, size } = files.stat(path)
  return { ctime: created / 1000, mtime: changed / 1000, size, type: isFolder ? directory : regular }
}

/** react-native-fs: files last as long as the page. Nothing is downloaded or uploaded. */
export const fs: Pack = {
  partial: () => ({
    RNFSManager: {
      ...constants({
        RNFSMainBundlePath: folders.bundle,
        RNFSCachesDirectoryPath: folders.caches,
        RNFSDocumentDirectoryPath: folders.documents,
        RNFSTemporaryDirectoryPath: folders.temporary,
        RNFSLibraryDirectoryPath: folders.library,
        RNFSFileTypeRegular: regular,
        RNFSFileTypeDirectory: directory
      }),
      ...resolving({
        writeFile: (path: string, base64: string) => files.write(path, Uint8Array.fromBase64(base64)),
        appendFile: (path: string, base64: string) => files.append(path, Uint8Array.fromBase64(base64)),
        readFile: (path: string) => files.read(path).toBase64(),
        read: (path: string, length: number, position: number) =>
          files
            .read(path)
            .slice(position, position + length)
            .toBase64(),
        readDir: (path: string) => files.list(path).map((one) => ({ name: nameIn(one), path: one, ...factsOf(one) })),
        stat: factsOf,
        exists: files.exists,
        mkdir: files.makeFolder,
        unlink: files.remove,
        moveFile: files.move,
        copyFile: files.copy,
        hash: async (path: string, algorithm: string) =>
          new Uint8Array(await crypto.subtle.digest(algorithm.replace(/^sha-?/i, "SHA-"), files.read(path))).toHex(),
        touch: () => {},
        getFSInfo: { totalSpace: 64e9, freeSpace: 16e9 }
      })
    }
  })
}
