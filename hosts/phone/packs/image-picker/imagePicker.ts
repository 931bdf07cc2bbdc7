import { choosePicture } from "../../modules/pictures.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, type AppFunction } from "../../runtime/decode.ts"

/** react-native-image-picker: a choice of sample pictures, also in place of the camera. */
export const imagePicker: Pack = {
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
