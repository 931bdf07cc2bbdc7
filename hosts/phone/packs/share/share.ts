import { constants, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn } from "../../runtime/decode.ts"

/** The services that the library has names for. */
const services =
  "FACEBOOK FACEBOOKSTORIES TWITTER GOOGLEPLUS WHATSAPP INSTAGRAM INSTAGRAMSTORIES TELEGRAM EMAIL MESSENGER VIBER " +
  "PAGESMANAGER WHATSAPPBUSINESS PINTEREST LINKEDIN SNAPCHAT SMS GENERIC DISCORD"

/** react-native-share */
export const share: Pack = {
  partial: ({ notes }) => {
    const open = (options: unknown) => {
      const { message, url } = fieldsIn(options)
      const what = [message, url].filter((one) => typeof one === "string").join(" ")
      notes.line(`The app shares “${what}”; a replay passes it on to nobody.`)
      return { success: true, message: "replay" }
    }
    return {
      RNShare: {
        ...constants(Object.fromEntries(services.split(" ").map((name) => [name, name.toLowerCase()]))),
        ...resolving({
          open,
          shareSingle: open,
          isPackageInstalled: false,
          isBase64File: (url: unknown) => /^data:[^,]*;base64,/.test(String(url))
        })
      }
    }
  }
}
