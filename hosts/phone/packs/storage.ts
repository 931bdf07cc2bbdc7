/** Libraries that store something. It lasts as long as the page. */
import { constants, type Host, type Pack, resolving } from "../modules/Host.ts"
import { type AppFunction, fieldsIn, textIn } from "../runtime/decode.ts"
import { files, folders, nameIn, stores } from "../runtime/storage.ts"

type Callback = (error: unknown, result?: unknown) => unknown

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const merged = (one: unknown, other: unknown): unknown => {
  if (!isObject(one) || !isObject(other)) return other
  const both = { ...one }
  for (const [name, value] of Object.entries(other)) both[name] = merged(one[name], value)
  return both
}

const mergeInto = (entries: Map<string, string>, pairs: ReadonlyArray<readonly [string, string]>): void => {
  for (const [key, value] of pairs) {
    entries.set(key, JSON.stringify(merged(JSON.parse(entries.get(key) ?? "{}"), JSON.parse(value))))
  }
}

/** Storage that lasts as long as the page: a replay has none of its own. */
const legacyStorage = ({ calls }: Host) => {
  const entries = new Map<string, string>()
  stores.set("AsyncStorage", () => entries)
  /** Answers when the app is done with asking, as a phone does. */
  const respond = (callback: Callback, result: () => unknown): void => {
    queueMicrotask(() => {
      try {
        const stored = result()
        calls.call(() => callback(null, stored))
      } catch (error) {
        calls.call(() => callback([{ message: String(error) }]))
      }
    })
  }
  return {
    multiGet: (keys: ReadonlyArray<string>, callback: Callback) =>
      respond(callback, () => keys.map((key) => [key, entries.get(key) ?? null])),
    multiSet: (pairs: ReadonlyArray<readonly [string, string]>, callback: Callback) =>
      respond(callback, () => {
        for (const [key, value] of pairs) entries.set(key, value)
      }),
    multiRemove: (keys: ReadonlyArray<string>, callback: Callback) =>
      respond(callback, () => {
        for (const key of keys) entries.delete(key)
      }),
    multiMerge: (pairs: ReadonlyArray<readonly [string, string]>, callback: Callback) =>
      respond(callback, () => mergeInto(entries, pairs)),
    getAllKeys: (callback: Callback) => respond(callback, () => [...entries.keys()]),
    clear: (callback: Callback) => respond(callback, () => entries.clear())
  }
}

interface Pair {
  readonly key: string
  readonly value: string | null
}

/** The same for the third version, which has databases by name. */
const databases = () => {
  const legacy = ""
  const all = new Map<string, Map<string, string>>()
  const named = (name: string): Map<string, string> => {
    const stored = all.get(name) ?? new Map<string, string>()
    all.set(name, stored)
    stores.set(`AsyncStorage ${name}`.trim(), () => stored)
    return stored
  }
  return {
    getValues: async (name: string, keys: ReadonlyArray<string>) =>
      keys.map((key) => ({ key, value: named(name).get(key) ?? null })),
    setValues: async (name: string, values: ReadonlyArray<Pair>) => {
      for (const { key, value } of values) {
        if (value === null) named(name).delete(key)
        else named(name).set(key, value)
      }
      return values
    },
    removeValues: async (name: string, keys: ReadonlyArray<string>) => {
      for (const key of keys) named(name).delete(key)
    },
    getKeys: async (name: string) => [...named(name).keys()],
    clearStorage: async (name: string) => named(name).clear(),
    legacy_multiGet: async (keys: ReadonlyArray<string>) => keys.map((key) => [key, named(legacy).get(key) ?? null]),
    legacy_multiSet: async (pairs: ReadonlyArray<readonly [string, string]>) => {
      for (const [key, value] of pairs) named(legacy).set(key, value)
    },
    legacy_multiRemove: async (keys: ReadonlyArray<string>) => {
      for (const key of keys) named(legacy).delete(key)
    },
    legacy_multiMerge: async (pairs: ReadonlyArray<readonly [string, string]>) => mergeInto(named(legacy), pairs),
    legacy_getAllKeys: async () => [...named(legacy).keys()],
    legacy_clear: async () => named(legacy).clear()
  }
}

/** @react-native-async-storage/async-storage */
const asyncStorage: Pack = {
  modules: (host) => {
    const module = legacyStorage(host)
    return {
      // The first two versions ask for the storage of other platforms before their own.
      PlatformLocalStorage: module,
      RNCAsyncStorage: module,
      RNC_AsyncSQLiteDBStorage: module,
      AsyncLocalStorage: module,
      RNAsyncStorage: databases()
    }
  }
}

/** One store of react-native-mmkv, which answers at once. */
const storeOf = (entries: Map<string, unknown>) => {
  const listeners = new Set<AppFunction>()
  const notify = (key: string): void => {
    for (const listener of listeners) listener(key)
  }
  const remove = (key: string): boolean => {
    const isThere = entries.delete(key)
    if (isThere) notify(key)
    return isThere
  }
  const ofType = (type: string) => (key: string) => {
    const value = entries.get(key)
    return typeof value === type ? value : undefined
  }
  return {
    set: (key: string, value: unknown): void => {
      entries.set(key, value)
      notify(key)
    },
    getString: ofType("string"),
    getNumber: ofType("number"),
    getBoolean: ofType("boolean"),
    getBuffer: ofType("object"),
    contains: (key: string) => entries.has(key),
    delete: remove,
    remove,
    addOnValueChangedListener: (listener: AppFunction) => {
      listeners.add(listener)
      return { remove: () => listeners.delete(listener) }
    },
    getAllKeys: () => [...entries.keys()],
    clearAll: () => [...entries.keys()].forEach(remove),
    recrypt: () => {},
    trim: () => {},
    size: 0,
    isReadOnly: false
  }
}

const openedStores = new Map<string, ReturnType<typeof storeOf>>()

const createMMKV = (options: unknown) => {
  const id = textIn(fieldsIn(options)["id"]) ?? ""
  const known = openedStores.get(id)
  if (known !== undefined) return known
  const entries = new Map<string, unknown>()
  const store = storeOf(entries)
  openedStores.set(id, store)
  stores.set(`MMKV ${id}`.trim(), () => entries)
  return store
}

const platform = { getBaseDirectory: () => "/", getAppGroupDirectory: () => undefined }

/** react-native-mmkv 2, 3 and, by Nitro, 4: it lasts as long as the page. */
export const mmkv = {
  // Version 2 looks for its native module only where this is missing.
  install: ({ app }: Pick<Host, "app">) => {
    app["mmkvCreateNewInstance"] = createMMKV
  },
  modules: () => ({ MmkvPlatformContext: platform, MmkvCxx: { initialize: () => true, createMMKV } }),
  hybrids: {
    MMKVPlatformContext: platform,
    MMKVFactory: {
      defaultMMKVInstanceId: "mmkv.default",
      initializeMMKV: () => {},
      createMMKV,
      deleteMMKV: (id: string) => {
        stores.delete(`MMKV ${id}`.trim())
        return openedStores.delete(id)
      },
      existsMMKV: (id: string) => openedStores.has(id)
    }
  }
} satisfies Pack

interface Credentials {
  readonly service: string
  readonly username: string
  readonly password: string
  readonly storage: "keychain"
}

/** Credentials by the name of a service or a server. */
const makeStore = (name: string) => {
  const entries = new Map<string, Credentials>()
  stores.set(name, () => entries)
  return {
    kept: entries,
    set: (service: string, username: unknown, password: unknown) => {
      entries.set(service, { service, username: String(username), password: String(password), storage: "keychain" })
      return { service, storage: "keychain" }
    },
    get: (service: string) => entries.get(service) ?? false,
    remove: (service: string) => {
      entries.delete(service)
      return true
    }
  }
}

const serviceIn = (options: unknown): string => textIn(fieldsIn(options)["service"]) ?? "app"
const serverIn = (options: unknown): string => textIn(fieldsIn(options)["server"]) ?? textIn(options) ?? ""

/** react-native-keychain: it lasts as long as the page, and nothing asks for a face. */
const keychain: Pack = {
  partial: () => {
    const generic = makeStore("Keychain")
    const internet = makeStore("Keychain of servers")
    return {
      RNKeychainManager: {
        ...constants({}),
        ...resolving({
          setGenericPasswordForOptions: (options: unknown, username: unknown, password: unknown) =>
            generic.set(serviceIn(options), username, password),
          getGenericPasswordForOptions: (options: unknown) => generic.get(serviceIn(options)),
          hasGenericPasswordForOptions: (options: unknown) => generic.kept.has(serviceIn(options)),
          resetGenericPasswordForOptions: (options: unknown) => generic.remove(serviceIn(options)),
          getAllGenericPasswordServices: () => [...generic.kept.keys()],
          setInternetCredentialsForServer: (server: unknown, username: unknown, password: unknown) =>
            internet.set(serverIn(server), username, password),
          getInternetCredentialsForServer: (server: unknown) => internet.get(serverIn(server)),
          hasInternetCredentialsForOptions: (options: unknown) => internet.kept.has(serverIn(options)),
          resetInternetCredentialsForOptions: (options: unknown) => internet.remove(serverIn(options)),
          getSupportedBiometryType: null,
          canCheckAuthentication: false,
          isPasscodeAuthAvailable: false,
          getSecurityLevel: null
        })
      }
    }
  }
}

const [regularType, directory] = ["NSFileTypeRegular", "NSFileTypeDirectory"]

const factsOf = (path: string) => {
  const { changed, created, isFolder, size } = files.stat(path)
  return { ctime: created / 1000, mtime: changed / 1000, size, type: isFolder ? directory : regularType }
}

/** react-native-fs: files last as long as the page. Nothing is downloaded or uploaded. */
const fs: Pack = {
  partial: () => ({
    RNFSManager: {
      ...constants({
        RNFSMainBundlePath: folders.bundle,
        RNFSCachesDirectoryPath: folders.caches,
        RNFSDocumentDirectoryPath: folders.documents,
        RNFSTemporaryDirectoryPath: folders.temporary,
        RNFSLibraryDirectoryPath: folders.library,
        RNFSFileTypeRegular: regularType,
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

export const storage: ReadonlyArray<Pack> = [asyncStorage, mmkv, keychain, fs]
