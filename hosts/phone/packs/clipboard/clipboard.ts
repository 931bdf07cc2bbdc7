import { ignoring, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { listIn } from "../../runtime/decode.ts"
import { clipboard as shared } from "../../runtime/clipboard.ts"

/** @react-native-clipboard/clipboard */
export const clipboard: Pack = {
  partial: ({ callable }) => {
    const set = (text: unknown): void => {
      shared.text = String(text)
      callable.emit("RNCClipboard_TEXT_CHANGED")
    }
    const isUrl = () => URL.canParse(shared.text)
    return {
      RNCClipboard: {
        ...ignoring("setListener removeListener"),
        ...resolving({
          getString: () => shared.text,
          getStrings: () => [shared.text],
          hasString: () => shared.text !== "",
          hasURL: isUrl,
          hasWebURL: () => isUrl() && /^https?:/.test(shared.text),
          hasNumber: () => /\d/.test(shared.text),
          hasImage: false
        }),
        setString: set,
        setStrings: (texts: unknown) => set(listIn(texts).join("\n"))
      }
    }
  }
}
