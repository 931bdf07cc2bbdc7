import { useState } from "react"
import { Image, StyleSheet, View } from "react-native"
import { pictureOf } from "../parts/ownFiles"
import { useTheme } from "../parts/theme.js"
import { SlipsIcon } from "./icons.jsx"

/** One of the app's pictures by name, or a plain sign in its place when it does not load. */
export const Picture = ({ name, label, style }) => {
  const theme = useTheme()
  const [broken, setBroken] = useState(false)
  return (
    <View style={[styles.frame, { backgroundColor: theme.sunken }, style]}>
      {broken ? (
        <SlipsIcon color={theme.muted} />
      ) : (
        <Image
          source={pictureOf(name)}
          accessibilityLabel={label}
          onError={() => setBroken(true)}
          resizeMode="cover"
          style={styles.image}
        />
      )}
    </View>
  )
}

const styles = StyleSheet.create({
  frame: { overflow: "hidden", alignItems: "center", justifyContent: "center" },
  image: { width: "100%", height: "100%" }
})
