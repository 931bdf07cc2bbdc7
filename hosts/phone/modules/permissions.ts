import { isDark, settings } from "../runtime/device.ts"
import { showDialog } from "./dialog.ts"
import type { Host } from "./Host.ts"

/** What a person has decided about something that an app may do; until it asks, nothing. */
export type Permission = "undetermined" | "granted" | "denied"

const decided = new Map<string, Permission>()

/** The decision of the page's settings, or else of the person. */
export const permissionOf = (name: string): Permission => {
  const { permissions } = settings()
  return permissions === "ask" ? (decided.get(name) ?? "undetermined") : permissions
}

/** Asks the person in front of the phone once, as iOS does. */
export const askPermission = async ({ surface }: Host, name: string): Promise<Permission> => {
  const known = permissionOf(name)
  if (known !== "undetermined") return known
  return new Promise((resolve) => {
    const choose = (permission: Permission) => () => {
      decided.set(name, permission)
      resolve(permission)
    }
    showDialog(surface.element, {
      place: "middle",
      isDark: isDark(),
      title: `The app asks for permission: ${name}`,
      message: "A replay has no device: this only decides how the app continues.",
      choices: [
        { label: "Don’t Allow", choose: choose("denied") },
        { label: "Allow", choose: choose("granted") }
      ]
    })
  })
}
