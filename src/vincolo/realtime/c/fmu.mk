model.so: $(OBJECTS)
	$(CXX) -shared -Wl,--gc-sections -Wl,--version-script=exports.map -o $@ $(OBJECTS) -lm

