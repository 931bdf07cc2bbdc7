import { fieldsIn, textIn } from "../../runtime/decode.ts"
import { files, folders, nameIn, pathOf } from "../../runtime/files.ts"
import type { makeClasses } from "./sharedObjects.ts"

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
