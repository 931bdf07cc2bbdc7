import { plainLine } from "../../command/plainText.ts"
import type { RecordedDevice } from "../recordedRun.ts"

const system = /^(iOS|iPadOS|Android)[ -]?([\d.]+)?$/i

const id = /^(?:[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}|[0-9A-F]{8}-[0-9A-F]{16}|emulator-\d+)$/i

const emulator = /^emulator-\d+$/

/** Whether a text is the id of one device, and not a name that others may share. */
export const isDeviceId = (text: string): boolean => id.test(text)

/** A device as Maestro describes it: `iPhone 17 - iOS 26.5 - 089E029C-…`, or the name or number of one of Android. */
export const deviceOf = (described: string | undefined, deviceId: string | undefined): RecordedDevice | undefined => {
  const parts = (described ?? deviceId ?? "").split(" - ").filter((part) => part.trim() !== "")
  const [, systemName, osVersion] = parts.map((part) => system.exec(part.trim())).find((found) => found !== null) ?? []
  const platform = systemName ?? (emulator.test(deviceId ?? "") ? "Android" : undefined)
  const named = parts.filter((part) => !system.test(part.trim()))
  const names = named.filter((part) => !isDeviceId(part.trim()))
  const name = names.join(" - ") || named[0]
  if (name === undefined && platform === undefined) return undefined
  return {
    ...(name === undefined ? {} : { name: plainLine(name, 200) }),
    ...(platform === undefined ? {} : { platform: /^android/i.test(platform) ? "android" : "ios" }),
    ...(osVersion === undefined ? {} : { osVersion })
  }
}
