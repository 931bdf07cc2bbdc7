/** Libraries whose components are those of the phone, by other names. */
import { ignoring, type Pack, resolving } from "../modules/Host.ts"
import { type Fields, fieldsIn, numberIn } from "../runtime/decode.ts"
import { color } from "../style/color.ts"
import { adaptComponent, type Component, element } from "../views/Component.ts"
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
    FastImageView: adaptComponent(
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

/** An image with the properties and events of another library. */
const imageLike =
  (toProps: (props: Fields) => Fields, events: Readonly<Record<string, string>>): Component =>
  (context) => {
    const drawn = image({
      ...context,
      props: () => toProps(context.props()),
      emit: (name, payload) => {
        const event = events[name]
        if (event !== undefined) context.emit(event, payload)
      }
    })
    return { ...drawn, update: (props, before) => drawn.update?.(toProps(props), toProps(before)) }
  }

/** react-native-turbo-image and @candlefinance/faster-image */
const otherImages: Pack = {
  components: {
    TurboImageView: imageLike((props) => ({ ...props, tintColor: props["tint"], blurRadius: props["blur"] }), {
      topLoad: "topSuccess",
      topError: "topFailure"
    }),
    FasterImageView: imageLike(
      (props) => {
        const { resizeMode, url } = fieldsIn(props["source"])
        return { ...props, source: { uri: url }, resizeMode: resizeMode === "fill" ? "stretch" : resizeMode }
      },
      { topLoad: "topSuccess", topError: "topError" }
    )
  },
  legacy: {
    TurboImageView: { props: "source resizeMode blur", colors: "tint", events: "Success Failure" },
    FasterImageView: { props: "source", events: "Error Success" }
  }
}

/** @react-native-community/progress-view */
const progressView: Pack = {
  components: {
    RNCProgressView: () => {
      const bar = element("view")
      const drawn = element("view", bar)
      return {
        element: drawn,
        update: ({ progress, progressTintColor, trackTintColor }) => {
          const part = Math.min(1, Math.max(0, numberIn(progress) ?? 0))
          bar.style.cssText = `inset:0;width:${part * 100}%;border-radius:2px;background:${color(progressTintColor) || "#007aff"}`
          drawn.style.background = color(trackTintColor) || "#7878803d"
          drawn.style.borderRadius = "2px"
        },
        measure: () => ({ width: 100, height: 4 })
      }
    }
  }
}

export const adaptedViews: ReadonlyArray<Pack> = [blur, linearGradient, flashList, fastImage, otherImages, progressView]
