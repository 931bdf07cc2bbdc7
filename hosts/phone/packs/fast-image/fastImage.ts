import { ignoring, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn } from "../../runtime/decode.ts"
import { adapted } from "../../views/adapted.ts"
import { image } from "../../views/image.ts"

/** react-native-fast-image, and its successor @d11/react-native-fast-image */
export const fastImage: Pack = {
  components: {
    FastImageView: adapted(
      image,
      (props) => ({ ...props, defaultSource: { uri: props["defaultSource"] } }),
      (name, payload) => [
        name.replace(/^top(?=Error$|Load$|LoadEnd$|LoadStart$)/, "topFastImage"),
        { ...payload, ...fieldsIn(payload["source"]) }
      ]
    )
  },
  legacy: {
    FastImageView: {
      props: "source defaultSource resizeMode blurRadius",
      colors: "tintColor",
      events: "FastImageError FastImageLoad FastImageLoadEnd FastImageLoadStart"
    }
  },
  partial: () => {
    const module = { ...ignoring("preload"), ...resolving({ clearMemoryCache: null, clearDiskCache: null }) }
    return { FastImageViewModule: module, FastImageView: module }
  }
}
