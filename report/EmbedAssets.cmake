# Turns text files into one .cc that defines them as string_views in evenkeel::report::assets.
# cmake -D OUTPUT=assets.cc -D "ASSETS=kName=path;kOther=path" -P EmbedAssets.cmake
set(source "#include \"report/assets.h\"\n\nnamespace evenkeel::report::assets {\n\n")
foreach(asset IN LISTS ASSETS)
  string(FIND "${asset}" "=" split)
  string(SUBSTRING "${asset}" 0 ${split} name)
  math(EXPR split "${split} + 1")
  string(SUBSTRING "${asset}" ${split} -1 path)
  file(READ "${path}" text)
  # The first would end the literal, the second the script element that the text is put into.
  string(FIND "${text}" ")evenkeel\"" ends_literal)
  string(FIND "${text}" "</script" ends_script)
  if(NOT ends_literal EQUAL -1 OR (NOT ends_script EQUAL -1 AND NOT path MATCHES "\\.html$"))
    message(FATAL_ERROR "${path} cannot be embedded: it holds )evenkeel\" or </script")
  endif()
  string(APPEND source "const std::string_view ${name} = R\"evenkeel(${text})evenkeel\";\n\n")
endforeach()
string(APPEND source "}  // namespace evenkeel::report::assets\n")
file(WRITE "${OUTPUT}" "${source}")
