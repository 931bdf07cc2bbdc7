import type { Host } from "../../modules/Host.ts"
import { askPermission, permissionOf, type Permission } from "../../modules/permissions.ts"
import { choosePicture } from "../../modules/pictures.ts"
import { fieldsIn } from "../../runtime/decode.ts"

/** A permission as Expo has it. */
export const permissionAnswer = (status: Permission) => ({
  status,
  granted: status === "granted",
  canAskAgain: status === "undetermined",
  expires: "never"
})

/** The modules of Expo that ask the person in front of the phone: for permissions, or for a picture. */
export const askingModules = (host: Host): Readonly<Record<string, object>> => {
  const asks = (what: string, name: string) => ({
    [`get${what}PermissionsAsync`]: async () => permissionAnswer(permissionOf(name)),
    [`request${what}PermissionsAsync`]: async () => permissionAnswer(await askPermission(host, name))
  })
  const launch = async (options: unknown) => {
    const picture = await choosePicture(host)
    if (picture === undefined) return { canceled: true, assets: null }
    const { base64, ...rest } = picture
    const asset = { ...rest, type: "image", mimeType: "image/jpeg", fileSize: Math.round((base64.length * 3) / 4) }
    return { canceled: false, assets: [fieldsIn(options)["base64"] === true ? { ...asset, base64 } : asset] }
  }
  return {
    ExponentImagePicker: {
      ...asks("Camera", "camera"),
      ...asks("MediaLibrary", "photo library"),
      launchCameraAsync: launch,
      launchImageLibraryAsync: launch
    },
    ExpoCamera: {
      ...asks("Camera", "camera"),
      ...asks("Microphone", "microphone"),
      isModernBarcodeScannerAvailable: false,
      toggleRecordingAsyncAvailable: false,
      isAvailableAsync: async () => false
    },
    ExpoLocation: {
      ...asks("", "location"),
      ...asks("Foreground", "location"),
      ...asks("Background", "location"),
      ...asks("MotionActivity", "motion"),
      hasServicesEnabledAsync: async () => true
    },
    ExpoMediaLibrary: asks("", "photo library"),
    ExpoMediaLibraryNext: asks("", "photo library"),
    ExpoContacts: asks("", "contacts"),
    ExpoContactsNext: asks("", "contacts"),
    ExpoCalendar: { ...asks("Calendar", "calendars"), ...asks("Reminders", "reminders") },
    ExpoAudio: asks("Recording", "microphone"),
    ExpoTrackingTransparency: asks("", "app tracking transparency")
  }
}
