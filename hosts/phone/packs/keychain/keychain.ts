import { constants, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, textIn } from "../../runtime/decode.ts"
import { stores } from "../../runtime/stores.ts"

interface Credentials {
  readonly service: string
  readonly username: string
  readonly password: string
  readonly storage: "keychain"
}

/** Credentials by the name of a service or a server. */
const makeStore = (name: string) => {
  const kept = new Map<string, Credentials>()
  stores.set(name, () => kept)
  return {
    kept,
    set: (service: string, username: unknown, password: unknown) => {
      kept.set(service, { service, username: String(username), password: String(password), storage: "keychain" })
      return { service, storage: "keychain" }
    },
    get: (service: string) => kept.get(service) ?? false,
    remove: (service: string) => {
      kept.delete(service)
      return true
    }
  }
}

const serviceIn = (options: unknown): string => textIn(fieldsIn(options)["service"]) ?? "app"
const serverIn = (options: unknown): string => textIn(fieldsIn(options)["server"]) ?? textIn(options) ?? ""

/** react-native-keychain: it lasts as long as the page, and nothing asks for a face. */
export const keychain: Pack = {
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
