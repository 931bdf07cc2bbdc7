/** Libraries that ask the person in front of the phone: for permissions, or for a picture. */
import { constants, type Pack, resolving } from "../modules/Host.ts"
import { askPermission, choosePicture, type Permission, permissionOf } from "../modules/dialogs.ts"
import { type AppFunction, fieldsIn, listIn } from "../runtime/decode.ts"

/** What the library calls them: `denied` may be asked for still. */
const permissionStatuses: Readonly<Record<Permission, string>> = {
  undetermined: "denied",
  granted: "granted",
  denied: "blocked"
}

const nameOf = (permission: unknown): string =>
  String(permission)
    .replace(/^ios\.permission\./, "")
    .replaceAll("_", " ")
    .toLowerCase()

/** react-native-permissions: the person in front of the phone decides. */
const permissionModule: Pack = {
  partial: (host) => {
    const check = async (permission: unknown) => permissionStatuses[permissionOf(nameOf(permission))]
    const request = async (permission: unknown) => permissionStatuses[await askPermission(host, nameOf(permission))]
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

const cameraStatuses: Readonly<Record<Permission, string>> = {
  undetermined: "not-determined",
  granted: "granted",
  denied: "denied"
}

/** react-native-vision-camera 4: a phone without a camera. */
const visionCamera: Pack = {
  partial: (host) => {
    const status = (name: string) => () => cameraStatuses[permissionOf(name)]
    const ask = (name: string) => async () => cameraStatuses[await askPermission(host, name)]
    return {
      CameraView: {
        getCameraPermissionStatus: status("camera"),
        getMicrophonePermissionStatus: status("microphone"),
        getLocationPermissionStatus: status("location"),
        ...resolving({
          requestCameraPermission: ask("camera"),
          requestMicrophonePermission: ask("microphone"),
          requestLocationPermission: ask("location")
        }),
        installFrameProcessorBindings: () => false
      },
      CameraDevices: constants({ availableCameraDevices: [], userPreferredCameraDevice: undefined })
    }
  }
}

/** react-native-image-picker: a choice of sample pictures, also in place of the camera. */
const imagePicker: Pack = {
  partial: (host) => {
    const launch = (options: unknown, done: AppFunction): void => {
      void choosePicture(host).then((picture) => {
        if (picture === undefined) return host.calls.call(done, { didCancel: true })
        const { base64, ...rest } = picture
        const asset = { ...rest, type: "image/jpeg", fileSize: Math.round((base64.length * 3) / 4) }
        const isWanted = fieldsIn(options)["includeBase64"] === true
        return host.calls.call(done, { assets: [isWanted ? { ...asset, base64 } : asset] })
      })
    }
    return { ImagePicker: { launchCamera: launch, launchImageLibrary: launch } }
  }
}

export const permissions: ReadonlyArray<Pack> = [permissionModule, visionCamera, imagePicker]
