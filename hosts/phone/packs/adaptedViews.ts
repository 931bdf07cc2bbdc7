/** Libraries whose components are those of the phone, by other names. */
import { ignoring, type Pack, resolving } from "../modules/Host.ts"
import { fieldsIn } from "../runtime/decode.ts"
import { adapted } from "../views/Component.ts"
import { blur as blurred, image, linearGradient as gradient } from "../views/image.ts"
import { view } from "../views/view.ts"

/** @react-native-community/blur */
const blur: Pack = { components: { BlurView: blurred, VibrancyView: blurred } }

/** react-native-linear-gradient */
const linearGradient: Pack = {
  components: { BVLinearGradient: gradient },
  legacy: { BVLinearGradient: { props: "startPoint endPoint colors locations useAngle angleCenter angle" } }
}

/** FlashList 1: its JavaScript places the rows. On a phone, the native part closes gaps before a row has its measured size. Version 2 has none. */
const flashList: Pack = { components: { AutoLayoutView: view, CellContainer: view } }

/** react-native-fast-image, and its successor @d11/react-native-fast-image */
const fastImage: Pack = {
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

export const adaptedViews: ReadonlyArray<Pack> = [blur, linearGradient, flashList, fastImage]
