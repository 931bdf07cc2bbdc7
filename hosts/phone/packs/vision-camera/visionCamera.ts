import { constants, resolving } from "../../modules/answers.ts"
import { askPermission, permissionOf, type Permission } from "../../modules/permissions.ts"
import type { Pack } from "../../modules/Pack.ts"

const named: Readonly<Record<Permission, string>> = {
  undetermined: "not-determined",
  granted: "granted",
  denied: "denied"
}

/** react-native-vision-camera 4: a phone without a camera. */
export const visionCamera: Pack = {
  partial: (host) => {
    const status = (name: string) => () => named[permissionOf(name)]
    const ask = (name: string) => async () => named[await askPermission(host, name)]
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
