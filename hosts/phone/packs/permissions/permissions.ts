import { askPermission, permissionOf, type Permission } from "../../modules/permissions.ts"
import type { Pack } from "../../modules/Pack.ts"
import { listIn } from "../../runtime/decode.ts"

/** What the library calls them: `denied` may be asked for still. */
const named: Readonly<Record<Permission, string>> = { undetermined: "denied", granted: "granted", denied: "blocked" }

const nameOf = (permission: unknown): string =>
  String(permission)
    .replace(/^ios\.permission\./, "")
    .replaceAll("_", " ")
    .toLowerCase()

/** react-native-permissions: the person in front of the phone decides. */
export const permissions: Pack = {
  partial: (host) => {
    const check = async (permission: unknown) => named[permissionOf(nameOf(permission))]
    const request = async (permission: unknown) => named[await askPermission(host, nameOf(permission))]
    const each = async (all: unknown, one: (permission: unknown) => Promise<string>) => {
      const found: Record<string, string> = {}
      for (const permission of listIn(all)) found[String(permission)] = await one(permission)
      return found
    }
    return {
      RNPermissions: {
        check,
        request,
        checkMultiple: (all: unknown) => each(all, check),
        requestMultiple: (all: unknown) => each(all, request),
        checkNotifications: async () => ({ status: await check("notifications"), settings: {} }),
        requestNotifications: async () => ({ status: await request("notifications"), settings: {} }),
        checkLocationAccuracy: async () => "reduced",
        requestLocationAccuracy: async () => "reduced",
        shouldShowRequestRationale: async () => false,
        openSettings: async () => host.notes.line("The app opens its settings; a replay has none.")
      }
    }
  }
}
